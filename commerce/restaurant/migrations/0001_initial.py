import cms_api.http.link_keys
import django.db.models.deletion
import modelsearch.index
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '__first__'),
        ('core', '0001_initial'),
        ('media', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='MenuCategory',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('description', models.TextField(blank=True, default='', max_length=1000)),
                ('position', models.PositiveIntegerField(default=0, help_text='Categories with lower numbers come first.')),
                ('is_visible', models.BooleanField(default=True, verbose_name='on the menu')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'verbose_name': 'menu category',
                'verbose_name_plural': 'menu categories',
                'ordering': ['position', 'name', 'id'],
            },
        ),
        migrations.CreateModel(
            name='MenuItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('category', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='restaurant.menucategory')),
                ('name', models.CharField(max_length=120)),
                ('description', models.TextField(blank=True, default='', max_length=1000)),
                ('price_cents', models.BigIntegerField()),
                ('image', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='media.media')),
                ('allergens', models.JSONField(blank=True, default=list)),
                ('diets', models.JSONField(blank=True, default=list)),
                ('tax_class', models.CharField(choices=[('standard', 'Standard'), ('reduced', 'Reduced'), ('super_reduced', 'Super-reduced'), ('exempt', 'Not taxed')], default='standard', max_length=20)),
                ('is_available', models.BooleanField(default=True, help_text='Sold-out dishes stay on the menu.', verbose_name='available')),
                ('is_visible', models.BooleanField(default=True, verbose_name='on the menu')),
                ('position', models.PositiveIntegerField(default=0, help_text='Dishes with lower numbers come first in their category.')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'verbose_name': 'dish',
                'verbose_name_plural': 'dishes',
                'ordering': ['position', 'name', 'id'],
                'indexes': [models.Index(models.F('category'), models.F('position'), models.F('name'), models.F('id'), name='menu_item_of_category'), models.Index(models.F('created_at'), models.F('id'), name='menu_item_by_creation')],
                'constraints': [models.CheckConstraint(condition=models.Q(('price_cents__gte', 0)), name='menu_item_price_not_negative')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='OptionGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='groups', to='restaurant.menuitem')),
                ('name', models.CharField(max_length=120)),
                ('minimum', models.PositiveIntegerField(default=0)),
                ('maximum', models.PositiveIntegerField(default=1)),
                ('position', models.PositiveIntegerField(default=0)),
            ],
            options={
                'ordering': ['position', 'id'],
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(models.F('item'), models.F('name'), name='option_group_once'), models.CheckConstraint(condition=models.Q(('maximum__gte', 1), ('minimum__lte', models.F('maximum'))), name='option_group_numbers')],
            },
        ),
        migrations.CreateModel(
            name='Option',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='options', to='restaurant.optiongroup')),
                ('name', models.CharField(max_length=120)),
                ('price_cents', models.BigIntegerField(default=0)),
                ('is_available', models.BooleanField(default=True)),
                ('position', models.PositiveIntegerField(default=0)),
            ],
            options={
                'ordering': ['position', 'id'],
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(models.F('group'), models.F('name'), name='option_once'), models.CheckConstraint(condition=models.Q(('price_cents__gte', 0)), name='option_price_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='MenuCart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(max_length=40, unique=True)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('updated_at'), models.F('id'), name='menu_cart_by_change')],
            },
        ),
        migrations.CreateModel(
            name='MenuCartItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('cart', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='items', to='restaurant.menucart')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='restaurant.menuitem')),
                ('options', models.JSONField(default=list)),
                ('quantity', models.PositiveIntegerField()),
                ('notes', models.CharField(blank=True, default='', max_length=300)),
            ],
            options={
                'ordering': ['id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('cart'), models.F('id'), name='menu_cart_item_of_cart')],
                'constraints': [models.CheckConstraint(condition=models.Q(('quantity__gt', 0)), name='menu_cart_item_some')],
            },
        ),
        migrations.CreateModel(
            name='OpeningPeriod',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('weekday', models.PositiveSmallIntegerField(choices=[(0, 'Monday'), (1, 'Tuesday'), (2, 'Wednesday'), (3, 'Thursday'), (4, 'Friday'), (5, 'Saturday'), (6, 'Sunday')])),
                ('opens', models.TimeField()),
                ('closes', models.TimeField(help_text='A time before the opening is on the next day.')),
            ],
            options={
                'verbose_name': 'opening period',
                'ordering': ['weekday', 'opens', 'id'],
                'constraints': [models.UniqueConstraint(models.F('weekday'), models.F('opens'), name='opening_once'), models.CheckConstraint(condition=models.Q(('weekday__lte', 6)), name='opening_weekday')],
            },
        ),
        migrations.CreateModel(
            name='SpecialDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('date', models.DateField(unique=True)),
                ('is_closed', models.BooleanField(default=True, verbose_name='closed')),
                ('periods', models.JSONField(blank=True, default=list)),
                ('note', models.CharField(blank=True, default='', help_text='Shown on the menu, for example Christmas Day.', max_length=120)),
            ],
            options={
                'verbose_name': 'special day',
                'ordering': ['date'],
            },
        ),
        migrations.CreateModel(
            name='DeliveryZone',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('postal_codes', models.TextField(help_text='Postal codes with commas between them. 051* stands for all that begin with 051.', max_length=5000)),
                ('fee_cents', models.BigIntegerField(default=0)),
                ('minimum_cents', models.BigIntegerField(default=0)),
                ('free_from_cents', models.BigIntegerField(blank=True, null=True)),
                ('extra_minutes', models.PositiveIntegerField(default=0, help_text='Added to the time that an order takes.')),
                ('position', models.PositiveIntegerField(default=0, help_text='Zones with lower numbers come first.')),
            ],
            options={
                'verbose_name': 'delivery zone',
                'ordering': ['position', 'name', 'id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('fee_cents__gte', 0), ('minimum_cents__gte', 0)), name='zone_not_negative'), models.CheckConstraint(condition=models.Q(('free_from_cents__isnull', True), ('free_from_cents__gte', 0), _connector='OR'), name='zone_free_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='Slot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('starts_at', models.DateTimeField(unique=True)),
                ('orders', models.PositiveIntegerField(default=0)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='RestaurantOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('number', models.CharField(editable=False, max_length=20, unique=True)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('placed', 'Placed'), ('preparing', 'Preparing'), ('ready', 'Ready'), ('completed', 'Completed'), ('cancelled', 'Cancelled')], default='pending', editable=False, max_length=10)),
                ('fulfillment', models.CharField(choices=[('pickup', 'Pick-up'), ('delivery', 'Delivery'), ('dine_in', 'Dine in')], editable=False, max_length=10)),
                ('name', models.CharField(max_length=200)),
                ('email', models.EmailField(max_length=254)),
                ('phone', models.CharField(blank=True, default='', max_length=50)),
                ('table', models.CharField(blank=True, default='', max_length=20)),
                ('delivery_address', models.JSONField(editable=False, null=True)),
                ('zone', models.CharField(blank=True, default='', editable=False, max_length=80)),
                ('user', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('cart', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='restaurant.menucart')),
                ('currency', models.CharField(editable=False, max_length=3)),
                ('prices_include_tax', models.BooleanField(default=False, editable=False)),
                ('subtotal_cents', models.BigIntegerField(default=0, editable=False)),
                ('discount_cents', models.BigIntegerField(default=0, editable=False)),
                ('delivery_fee_cents', models.BigIntegerField(default=0, editable=False)),
                ('tax_cents', models.BigIntegerField(default=0, editable=False)),
                ('tip_cents', models.BigIntegerField(default=0, editable=False)),
                ('total_cents', models.BigIntegerField(default=0, editable=False)),
                ('refunded_cents', models.BigIntegerField(default=0, editable=False)),
                ('taxes', models.JSONField(default=list, editable=False)),
                ('payment_method', models.CharField(choices=[('online', 'Online'), ('at_store', 'At the store')], editable=False, max_length=10)),
                ('notes', models.TextField(blank=True, default='', editable=False, max_length=1000)),
                ('slot_at', models.DateTimeField(editable=False)),
                ('wanted_at', models.DateTimeField(editable=False)),
                ('is_asap', models.BooleanField(default=False, editable=False)),
                ('has_slot', models.BooleanField(default=False, editable=False)),
                ('reserved_until', models.DateTimeField(editable=False, null=True)),
                ('is_processing', models.BooleanField(default=False, editable=False)),
                ('network', models.CharField(blank=True, default='', editable=False, max_length=32)),
                ('paid_at', models.DateTimeField(editable=False, null=True)),
                ('placed_at', models.DateTimeField(editable=False, null=True)),
                ('ready_at', models.DateTimeField(editable=False, null=True)),
                ('completed_at', models.DateTimeField(editable=False, null=True)),
                ('cancelled_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'verbose_name': 'restaurant order',
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view', 'change'),
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='restaurant_order_by_creation'), models.Index(models.F('status'), models.F('created_at'), models.F('id'), name='restaurant_order_by_status'), models.Index(models.F('email'), models.F('created_at'), models.F('id'), name='restaurant_order_by_email'), models.Index(models.F('wanted_at'), models.F('id'), condition=models.Q(('status__in', ['placed', 'preparing', 'ready'])), name='restaurant_order_in_kitchen'), models.Index(models.F('reserved_until'), models.F('id'), condition=models.Q(('reserved_until__isnull', False)), name='restaurant_order_reserved')],
                'constraints': [models.UniqueConstraint(models.F('cart'), condition=models.Q(('cart__isnull', False), ('status', 'pending')), name='restaurant_order_of_cart'), models.CheckConstraint(condition=models.Q(('delivery_fee_cents__gte', 0), ('discount_cents__gte', 0), ('subtotal_cents__gte', 0), ('tax_cents__gte', 0), ('tip_cents__gte', 0), ('total_cents__gte', 0)), name='restaurant_order_not_negative'), models.CheckConstraint(condition=models.Q(('refunded_cents__gte', 0), ('refunded_cents__lte', models.F('total_cents'))), name='restaurant_refunds_within')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='RestaurantOrderItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('order', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='items', to='restaurant.restaurantorder')),
                ('menu_item', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='restaurant.menuitem')),
                ('position', models.PositiveIntegerField(default=0)),
                ('name', models.CharField(max_length=120)),
                ('quantity', models.PositiveIntegerField()),
                ('unit_price_cents', models.BigIntegerField()),
                ('modifiers', models.JSONField(default=list)),
                ('options', models.JSONField(default=list)),
                ('tax_cents', models.BigIntegerField(default=0)),
                ('notes', models.CharField(blank=True, default='', max_length=300)),
            ],
            options={
                'ordering': ['position', 'id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('order'), models.F('position'), models.F('id'), name='restaurant_item_of_order')],
                'constraints': [models.CheckConstraint(condition=models.Q(('quantity__gt', 0), ('unit_price_cents__gte', 0)), name='restaurant_order_item_some')],
            },
        ),
    ]
