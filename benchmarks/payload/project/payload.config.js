// The articles of dataset.py as a collection of Payload; its data are in VAR_DIR.
import { sqliteAdapter } from "@payloadcms/db-sqlite";
import { buildConfig } from "payload";
import sharp from "sharp";

const folder = process.env.VAR_DIR;
const signedIn = ({ req }) => Boolean(req.user);
const access = { create: signedIn, read: signedIn, update: signedIn, delete: signedIn };

const users = { slug: "users", auth: { useAPIKey: true }, access, fields: [] };

const categories = {
  slug: "categories",
  access,
  fields: [
    { name: "name", type: "text", required: true },
    { name: "slug", type: "text", required: true, unique: true, index: true },
  ],
};

const media = {
  slug: "media",
  access,
  upload: {
    staticDir: `${folder}/media`,
    mimeTypes: ["image/*"],
    imageSizes: [{ name: "card", width: 320, height: 200 }],
  },
  fields: [{ name: "title", type: "text" }],
};

const articles = {
  slug: "articles",
  access,
  defaultSort: "-publishedAt",
  versions: { drafts: true },
  indexes: [{ fields: ["category", "publishedAt"] }],
  fields: [
    { name: "title", type: "text", required: true },
    { name: "slug", type: "text", required: true, unique: true, index: true },
    { name: "excerpt", type: "textarea" },
    // HTML, as the other servers store it; richText would be a JSON tree that is not HTML yet when it is answered.
    { name: "body", type: "textarea" },
    { name: "category", type: "relationship", relationTo: "categories" },
    { name: "image", type: "upload", relationTo: "media" },
    { name: "eventStart", type: "date", index: true },
    { name: "eventEnd", type: "date" },
    { name: "publishedAt", type: "date", index: true },
  ],
};

export default buildConfig({
  secret: "only-for-measuring",
  db: sqliteAdapter({
    client: { url: `file:${folder}/payload.sqlite3` },
    busyTimeout: 20_000,
    wal: { synchronous: "NORMAL" },
  }),
  collections: [users, categories, media, articles],
  graphQL: { disable: true },
  telemetry: false,
  typescript: { autoGenerate: false },
  sharp,
});
