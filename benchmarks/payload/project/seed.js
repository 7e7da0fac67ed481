// Fills an empty database with the lines of JSON of standard input: first the rest, then one article a line.
// Prints the facts about the data as one line of JSON.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { getPayload } from "payload";
import config from "./payload.config.js";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { categories, pictures, apiKey } = JSON.parse((await lines.next()).value);
const payload = await getPayload({ config });
const create = (collection, data, more = {}) => payload.create({ collection, data, depth: 0, ...more });

await create("users", { email: "writer@example.org", password: apiKey, enableAPIKey: true, apiKey });
const categoryIds = {};
for (const slug of categories) {
  categoryIds[slug] = (await create("categories", { name: slug[0].toUpperCase() + slug.slice(1), slug })).id;
}
const imageIds = [];
for (const [index, filePath] of pictures.entries()) {
  const data = await readFile(filePath);
  const file = { data, mimetype: "image/png", name: `picture-${index + 1}.png`, size: data.length };
  imageIds.push((await create("media", { title: `Picture ${index + 1}` }, { file })).id);
}
let first = 0;
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const { category, image, ...article } = JSON.parse(line.value);
  const data = { ...article, _status: "published", category: categoryIds[category], image: image ? imageIds[image - 1] : null };
  const { id } = await create("articles", data);
  first ||= id;
}
console.log(JSON.stringify({ first, categories: categoryIds, images: imageIds, authorization: `users API-Key ${apiKey}` }));
process.exit(0);
