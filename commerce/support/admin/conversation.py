"""The page of a ticket: its thread, the answer box, and the downloads of its files and emails."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.generic import View
from wagtail.admin import messages
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.admin.widgets.button import HeaderButton

from cms_api.adminkit.once import ALREADY_SUBMITTED, ONCE, SubmittedAgain, new_key, submitted_once
from cms_api.adminkit.views import InspectView
from cms_api.core.errors import Invalid
from cms_api.core.identifiers import read_id
from cms_api.http.downloads import download
from commerce.common.views import add_refusals

from ..models import Attachment, CannedAnswer, Message, ReceivedMail, Ticket
from ..selectors.links import canned_text
from ..selectors.tickets import messages_of
from ..services import reply_as_staff
from .forms import NOTE, ReplyForm

#: The latest messages, of a longer thread.
SHOWN_MESSAGES = 100
#: The permission of those who could sign in as others anyway.
MAY_READ_ORIGINALS = "auth.change_user"
#: Transitions whose small forms stand among the facts.
CONTROLS = ("assign", "priority", "category", "tags")


class TicketView(InspectView):
    """The thread, and what may be done with the ticket."""

    reply: ReplyForm | None = None

    @property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton("Reply", url="#reply", icon_name="mail"), *super().header_buttons]

    def get_page_subtitle(self) -> str:
        return str(self.object.number)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        ticket: Ticket = self.object
        bound = {each["transition"].name: each for each in context["transitions"]}
        thread = self._thread(ticket)
        return {
            **context,
            "controls": [[bound[name]] for name in CONTROLS if name in bound],
            "transitions": [each for name, each in bound.items() if name not in CONTROLS],
            "thread": thread,
            "left_out": 0 if "all" in self.request.GET else max(0, ticket.message_count - SHOWN_MESSAGES),
            "once": self.request.POST.get(ONCE) or new_key(),
            "reply": self.reply or ReplyForm(ticket=ticket),
            "canned_url": self.viewset.page_url("canned", ticket.pk),
            "reply_url": self.viewset.page_url("reply", ticket.pk),
        }

    def _thread(self, ticket: Ticket) -> list[Message]:
        found = messages_of(ticket).prefetch_related("received_mails")
        if "all" in self.request.GET:
            return list(found)
        return list(found.order_by("-created_at", "-id")[:SHOWN_MESSAGES])[::-1]


class ReplyView(TicketView):
    """Sends an answer or adds a note; shows the page again with the errors, or with a canned answer inserted."""

    permission_required = "change"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect(self.viewset.url(self.object))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "insert" in request.POST:
            return self._insert()
        form = self.reply = ReplyForm(request.POST, request.FILES, ticket=self.object)
        if form.is_valid():
            given = form.cleaned_data
            try:
                with submitted_once(request):
                    message = reply_as_staff(
                        ticket=self.object,
                        message=given["message"],
                        internal=given["kind"] == NOTE,
                        user=request.user,
                        files=given["attachments"],
                    )
            except SubmittedAgain:
                messages.warning(request, ALREADY_SUBMITTED)
                return redirect(self.viewset.url(self.object))
            except Invalid as refusal:
                add_refusals(form, refusal.errors, {"files": "attachments"})
            else:
                messages.success(request, "Note added." if message.is_internal else f"Answer sent to {self.object.email}.")
                return redirect(f"{self.viewset.url(self.object)}#message-{message.pk}")
        return self._again(422)

    def _insert(self) -> HttpResponse:
        """Show the page with a canned answer below what was typed, for browsers without scripts."""
        typed = ReplyForm(self.request.POST, ticket=self.object)
        typed.full_clean()
        answer = typed.cleaned_data.get("canned")
        text = canned_text(answer, self.object, self.request.user) if answer else ""
        written = "\n\n".join(filter(None, (self.request.POST.get("message", "").rstrip(), text)))
        self.reply = ReplyForm(ticket=self.object, initial={"message": written, "kind": self.request.POST.get("kind", "")})
        return self._again(200)

    def _again(self, status: int) -> HttpResponse:
        response: HttpResponse = self.render_to_response(self.get_context_data(), status=status)
        return response


class OfTicket(PermissionCheckedMixin, View):
    """A view beside the pages of tickets."""

    model: Any = Ticket
    viewset: Any = None
    permission_required: Any = "view"


class CannedView(OfTicket):
    """A canned answer with its placeholders filled in, for the script that inserts it."""

    permission_required = "change"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        ticket = get_object_or_404(self.viewset.records(), pk=pk)
        answer = get_object_or_404(CannedAnswer, pk=read_id(request.GET.get("answer", "")))
        return HttpResponse(canned_text(answer, ticket, request.user), content_type="text/plain; charset=utf-8")


class FileView(OfTicket):
    """A file of a message. Emails are for those who may read others as they arrived."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        found = get_object_or_404(Attachment, pk=pk)
        if found.is_email and not request.user.has_perm(MAY_READ_ORIGINALS):
            raise PermissionDenied
        return download(request, found.file, found.filename)


class OriginalView(OfTicket):
    """An email of a ticket as it arrived, for those who may change users: it may quote a link that signs somebody in."""

    def mails(self) -> QuerySet[ReceivedMail]:
        return ReceivedMail.objects.exclude(ticket=None)

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        if not request.user.has_perm(MAY_READ_ORIGINALS):
            raise PermissionDenied
        found = get_object_or_404(self.mails().exclude(original=""), pk=pk)
        return download(request, found.original, f"email-{found.pk}.eml")
