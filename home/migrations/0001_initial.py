import cms_api.content.selectors.types
import django.core.validators
import django.db.models.deletion
import wagtail.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('content', '0001_initial'),
        ('core', '0001_initial'),
        ('media', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='SharedRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('rows', models.JSONField(verbose_name='row')),
            ],
            options={
                'verbose_name': 'shared row',
                'ordering': ['name', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Row',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='page_rows', to=settings.WAGTAIL_PAGE_MODEL)),
                ('shared_row', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='own_rows', to='home.sharedrow')),
                ('block_id', models.UUIDField()),
                ('kind', models.CharField(max_length=50)),
                ('slug', models.CharField(max_length=60, unique=True)),
                ('position', models.PositiveIntegerField(null=True)),
                ('embeds', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='uses', to='home.sharedrow')),
                ('slots', models.JSONField(default=list)),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('page'), models.F('position'), condition=models.Q(('position__isnull', False)), name='row_on_page')],
                'constraints': [models.UniqueConstraint(fields=('page', 'block_id'), name='page_row_once'), models.UniqueConstraint(fields=('shared_row', 'block_id'), name='shared_row_once'), models.CheckConstraint(condition=models.Q(('page', None), ('shared_row', None), _connector='XOR'), name='row_has_one_holder')],
            },
        ),
        migrations.CreateModel(
            name='PageImage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('row', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='images', to='home.row')),
                ('key', models.CharField(max_length=60)),
                ('media', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='page_images', to='media.mediaimage')),
                ('alt', models.CharField(max_length=255, null=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('row', 'key'), name='page_image_once')],
            },
        ),
        migrations.CreateModel(
            name='HomePage',
            fields=[
                ('page_ptr', models.OneToOneField(auto_created=True, on_delete=django.db.models.deletion.CASCADE, parent_link=True, primary_key=True, serialize=False, to=settings.WAGTAIL_PAGE_MODEL)),
                ('introduction', wagtail.fields.RichTextField(blank=True)),
                ('rows', models.JSONField(blank=True)),
            ],
            options={
                'abstract': False,
            },
            bases=('wagtailcore.page',),
        ),
        migrations.CreateModel(
            name='StandardPage',
            fields=[
                ('page_ptr', models.OneToOneField(auto_created=True, on_delete=django.db.models.deletion.CASCADE, parent_link=True, primary_key=True, serialize=False, to=settings.WAGTAIL_PAGE_MODEL)),
                ('introduction', models.TextField(blank=True, max_length=500)),
                ('rows', models.JSONField(blank=True)),
            ],
            options={
                'abstract': False,
            },
            bases=('wagtailcore.page',),
        ),
        migrations.CreateModel(
            name='LandingPage',
            fields=[
                ('page_ptr', models.OneToOneField(auto_created=True, on_delete=django.db.models.deletion.CASCADE, parent_link=True, primary_key=True, serialize=False, to=settings.WAGTAIL_PAGE_MODEL)),
                ('rows', models.JSONField()),
            ],
            options={
                'abstract': False,
            },
            bases=('wagtailcore.page',),
        ),
        migrations.CreateModel(
            name='RecordTemplate',
            fields=[
                ('page_ptr', models.OneToOneField(auto_created=True, on_delete=django.db.models.deletion.CASCADE, parent_link=True, primary_key=True, serialize=False, to=settings.WAGTAIL_PAGE_MODEL)),
                ('record_type', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='content.contenttype', verbose_name='content type')),
                ('rows', models.JSONField(blank=True)),
            ],
            options={
                'abstract': False,
            },
            bases=('wagtailcore.page',),
        ),
        migrations.CreateModel(
            name='Theme',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('accent', models.CharField(blank=True, help_text='For links, buttons and drawings. Where text would be hard to read, a lighter or darker shade is used.', max_length=7, validators=[django.core.validators.RegexValidator('^#[0-9a-fA-F]{6}\\Z', 'Enter a colour like #2a3bd0.')], verbose_name='accent colour')),
                ('secondary', models.CharField(blank=True, help_text='For drawings only.', max_length=7, validators=[django.core.validators.RegexValidator('^#[0-9a-fA-F]{6}\\Z', 'Enter a colour like #2a3bd0.')], verbose_name='second colour')),
                ('fonts', models.CharField(choices=[('modern', 'Modern: Inter'), ('classic', 'Classic: a serif for headings, Inter for text'), ('system', "System: the fonts of each visitor's device")], default='system', help_text='For the public site.', max_length=20)),
                ('logo', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='media.mediaimage')),
                ('logo_alt', models.CharField(blank=True, help_text="The text of the logo. Defaults to the site's name.", max_length=255, verbose_name="logo's alternative text")),
                ('show_name', models.BooleanField(default=True, help_text='Untick if the logo already shows the name.', verbose_name='show the name beside the logo')),
                ('favicon', models.ForeignKey(blank=True, help_text='For browser tabs and home screens: a square PNG of at least 180 pixels, or a square SVG. Defaults to a mark in the colours above.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='media.mediaimage')),
                ('tagline', models.CharField(blank=True, help_text='A short line below the name in the footer.', max_length=150)),
                ('footer_text', wagtail.fields.RichTextField(blank=True, help_text='An address, opening hours or a notice.')),
                ('header_menu', wagtail.fields.StreamField([('page', 2), ('content_type', 4), ('address', 7)], blank=True, block_lookup={0: ('wagtail.blocks.PageChooserBlock', (), {}), 1: ('wagtail.blocks.CharBlock', (), {'help_text': "Defaults to the target's name.", 'max_length': 60, 'required': False}), 2: ('wagtail.blocks.StructBlock', [[('page', 0), ('label', 1)]], {}), 3: ('wagtail.blocks.ChoiceBlock', [], {'choices': cms_api.content.selectors.types.listed_types, 'label': 'Content type'}), 4: ('wagtail.blocks.StructBlock', [[('type', 3), ('label', 1)]], {}), 5: ('wagtail.blocks.CharBlock', (), {'max_length': 60}), 6: ('wagtail.blocks.CharBlock', (), {'help_text': 'https://…, mailto:…, tel:… or a path like /blog-post.', 'label': 'Address', 'max_length': 500}), 7: ('wagtail.blocks.StructBlock', [[('label', 5), ('url', 6)]], {})}, help_text='Defaults to the pages below the home page that are shown in menus, then every content type with pages.')),
                ('footer_menu', wagtail.fields.StreamField([('page', 2), ('content_type', 4), ('address', 7)], blank=True, block_lookup={0: ('wagtail.blocks.PageChooserBlock', (), {}), 1: ('wagtail.blocks.CharBlock', (), {'help_text': "Defaults to the target's name.", 'max_length': 60, 'required': False}), 2: ('wagtail.blocks.StructBlock', [[('page', 0), ('label', 1)]], {}), 3: ('wagtail.blocks.ChoiceBlock', [], {'choices': cms_api.content.selectors.types.listed_types, 'label': 'Content type'}), 4: ('wagtail.blocks.StructBlock', [[('type', 3), ('label', 1)]], {}), 5: ('wagtail.blocks.CharBlock', (), {'max_length': 60}), 6: ('wagtail.blocks.CharBlock', (), {'help_text': 'https://…, mailto:…, tel:… or a path like /blog-post.', 'label': 'Address', 'max_length': 500}), 7: ('wagtail.blocks.StructBlock', [[('label', 5), ('url', 6)]], {})}, help_text="Defaults to the header's.")),
                ('profiles', wagtail.fields.StreamField([('profile', 2)], blank=True, block_lookup={0: ('wagtail.blocks.URLBlock', (), {'help_text': 'Such as https://mastodon.example/@us.', 'label': 'Address'}), 1: ('wagtail.blocks.CharBlock', (), {'help_text': "Defaults to the network's name.", 'max_length': 40, 'required': False}), 2: ('wagtail.blocks.StructBlock', [[('url', 0), ('label', 1)]], {})}, verbose_name='social profiles')),
            ],
            options={
                'verbose_name': 'theme',
            },
        ),
    ]
