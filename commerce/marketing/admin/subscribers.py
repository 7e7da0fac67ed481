"""The pages of subscribers: one is added, changed, read with what it got, unsubscribed and brought back."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin import messages
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, ObjectList, Panel
from wagtail.admin.views import generic
from wagtail.admin.views.generic import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets.button import Button, HeaderButton
from wagtail.log_actions import log
from wagtail.permissions import policy_registry

from cms_api.adminkit.admin import RecordAction, RefusingMixin
from cms_api.adminkit.columns import local_date
from cms_api.core.errors import Invalid
from cms_api.mail.models import OutgoingMail
from commerce.common.types import MAX_TAG, MAX_TAGS, read_email, split_tags, unique_tags

from ..models import Enrolment, Sequence, Subscriber
from ..selectors import enrolments_of, latest_mails
from ..services.enrolment import stop
from ..services.subscribers import delete_subscriber, resubscribe, unsubscribe, update_subscriber, upsert_subscriber
from .listing import SubscriberIndexView

SOURCE = "admin"
EXISTS = "There is a subscriber with this address already."


def read_tags(text: str) -> list[str]:
    """Tags that a person has written with commas between them. Raises ValidationError."""
    found = unique_tags(" ".join(tag.split()) for tag in split_tags(text.replace("\n", ",")))
    if any(len(tag) > MAX_TAG for tag in found):
        raise forms.ValidationError(f"A tag must not be longer than {MAX_TAG} characters.")
    if len(found) > MAX_TAGS:
        raise forms.ValidationError(f"There may not be more than {MAX_TAGS} tags.")
    return found


class SubscriberForm(WagtailAdminModelForm):
    tags_editor = forms.CharField(
        required=False,
        label="Tags",
        max_length=10_000,
        help_text="With commas between them. They say which mailing lists somebody is on, and may begin sequences.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["tags_editor"] = ", ".join(self.instance.tags)

    def clean_email(self) -> str:
        try:
            return read_email(self.cleaned_data["email"])
        except Invalid as refusal:
            raise forms.ValidationError(refusal.message) from refusal

    def clean_tags_editor(self) -> list[str]:
        return read_tags(self.cleaned_data["tags_editor"])

    def values(self) -> dict[str, Any]:
        texts = {name: " ".join(self.cleaned_data.get(name, "").split()) for name in ("first_name", "last_name", "source")}
        email = {"email": self.cleaned_data["email"]} if "email" in self.cleaned_data else {}
        return {**email, **texts, "tags": self.cleaned_data["tags_editor"]}

    def _post_clean(self) -> None:
        """The service checks what was sent; the instance is its own to change."""

    def refuse(self, refusal: Invalid) -> None:
        for name, sentences in refusal.errors.items():
            self.add_error(name if name in self.fields else None, sentences)


def _panel(*, new: bool) -> Panel:
    email_help = "Whoever is added here gets mail from now on: be sure that they want it."
    email = FieldPanel("email", help_text=email_help) if new else FieldPanel("email", read_only=True)
    names = FieldRowPanel([FieldPanel("first_name"), FieldPanel("last_name")])
    source = FieldPanel("source", help_text=f"Where the subscriber came from; empty for “{SOURCE}”." if new else "")
    panels = [
        MultiFieldPanel([email, names], heading="Person", icon="user"),
        MultiFieldPanel([FieldPanel("tags_editor"), source], heading="Belongs to", icon="tag"),
    ]
    return ObjectList(panels, base_form_class=SubscriberForm).bind_to_model(Subscriber)


class CreateSubscriber(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> Subscriber:
        made = upsert_subscriber(values=self.form.values(), source=SOURCE)
        if not made.created:
            raise Invalid({"email": EXISTS})
        log(instance=made.subscriber, action="wagtail.create", user=self.user)
        self.instance = self.form.instance = made.subscriber
        return self.instance


class EditSubscriber(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> Subscriber:
        self.instance = self.form.instance = update_subscriber(
            subscriber=self.instance, values=self.form.values(), user=self.user
        )
        return self.instance


class DeleteSubscriber(DeleteAction):
    def _delete(self) -> Any:
        delete_subscriber(subscriber=self.instance, user=self.user)


for _action in (CreateSubscriber, EditSubscriber, DeleteSubscriber):
    action_registry.register(Subscriber, _action)


def inspect_url(subscriber: Subscriber) -> str:
    return reverse("subscribers:inspect", args=[subscriber.pk])


class SubscriberCreateView(RefusingMixin, generic.CreateView):
    def get_success_url(self) -> str:
        return inspect_url(self.object)


class SubscriberEditView(RefusingMixin, generic.EditView):
    def get_success_url(self) -> str:
        return inspect_url(self.object)


class SubscriberDeleteView(generic.DeleteView):
    @property
    def confirmation_message(self) -> str:
        return (
            "Delete this subscriber with the sequences they are in? Whether they want mail is forgotten, too: the next import "
            "that has the address subscribes it again. To end mail to somebody, unsubscribe them instead."
        )


class SubscriberInspectView(generic.InspectView):
    """Somebody with their sequences and the mails they got last."""

    template_name = "marketing_admin/subscriber.html"
    page_title = "Subscriber"
    object: Subscriber

    def get_page_subtitle(self) -> str:
        return self.object.email

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        if not self.user_has_permission("change"):
            return []
        return [HeaderButton("Edit", url=reverse("subscribers:edit", args=[self.object.pk]), icon_name="edit")]

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        key = [self.object.pk]
        found = [Button("History", url=reverse("subscribers:history", args=key), icon_name="history", priority=30)]
        if delete_url := self.get_delete_url():
            found.append(Button("Delete", url=delete_url, icon_name="bin", priority=40))
        return found

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        may_read = policy_registry.get_by_type(OutgoingMail).user_has_permission(self.request.user, "view")
        found = self.object
        return super().get_context_data(
            **kwargs,
            enrolments=enrolments_of(found),
            mails=latest_mails(found) if may_read else None,
            confirmed_on=local_date(found.confirmed_at),
            unsubscribed_on=local_date(found.unsubscribed_at),
            created_on=local_date(found.created_at),
            may_change=self.user_has_permission("change"),
        )


class Confirmation(WagtailAdminTemplateMixin, RecordAction):
    """Asks on GET, acts on POST."""

    model = Subscriber
    template_name = "marketing_admin/confirm.html"
    header_icon = "group"
    question = ""
    consequence = ""
    yes = ""
    serious = False

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.object = self.get_queryset().filter(pk=pk).first()
        if self.object is None:
            return super().get(request, pk)
        return TemplateResponse(request, self.template_name, self.get_context_data())

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [
            *self.breadcrumbs_items,
            {"url": reverse("subscribers:index"), "label": "Subscribers"},
            {"url": inspect_url(self.object), "label": self.object.email},
            {"url": "", "label": self.page_title},
        ]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, view=self, object=self.object, back=self.home(self.object))

    def home(self, record: Subscriber) -> str:
        return inspect_url(record)


class UnsubscribeView(Confirmation):
    page_title = "Unsubscribe"
    question = "Unsubscribe this person?"
    consequence = "Nobody writes to them any more, and the sequences they are in end. Integrations are told."
    yes = "Yes, unsubscribe"
    serious = True

    def act(self, request: HttpRequest, record: Subscriber) -> None:
        unsubscribe(subscriber=record, user=request.user)
        messages.success(request, f"{record.email} gets no mail any more.")


class ResubscribeView(Confirmation):
    page_title = "Resubscribe"
    question = "Write to this person again?"
    consequence = "Do this only if they have asked for it. Sequences that were stopped stay so."
    yes = "Yes, they asked for it"

    def act(self, request: HttpRequest, record: Subscriber) -> None:
        if resubscribe(subscriber=record, user=request.user):
            messages.success(request, f"{record.email} is subscribed.")
        else:
            messages.warning(request, "They are subscribed already.")


class StopView(RecordAction):
    """Takes somebody out of a sequence."""

    model = Enrolment
    permission_policy = policy_registry.get_by_type(Sequence)

    def act(self, request: HttpRequest, record: Enrolment) -> None:
        if stop(enrolment=record):
            messages.success(request, f"{record.subscriber} gets no more of “{record.sequence}”.")
        else:
            messages.warning(request, "It had ended before.")

    def home(self, record: Enrolment) -> str:
        return inspect_url(record.subscriber)


class SubscriberViewSet(ModelViewSet):
    model = Subscriber
    icon = "group"
    menu_label = "Subscribers"
    menu_order = 10
    name = "subscribers"
    url_prefix = "marketing/subscribers"
    url_namespace = "subscribers"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    list_per_page = 50
    export_filename = "subscribers"
    search_fields = ["email"]
    index_view_class = SubscriberIndexView
    add_view_class = SubscriberCreateView
    edit_view_class = SubscriberEditView
    delete_view_class = SubscriberDeleteView
    inspect_view_class = SubscriberInspectView

    def get_edit_handler(self) -> Panel:
        return _panel(new=True)

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}

    def get_edit_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        panel = _panel(new=False)
        return super().get_edit_view_kwargs(**{"panel": panel, "form_class": panel.get_form_class(), **kwargs})

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            *super().get_urlpatterns(),
            path("unsubscribe/<int:pk>/", UnsubscribeView.as_view(), name="unsubscribe"),
            path("resubscribe/<int:pk>/", ResubscribeView.as_view(), name="resubscribe"),
            path("enrolments/<int:pk>/stop/", StopView.as_view(), name="stop"),
        ]
