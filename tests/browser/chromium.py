"""One headless Chromium for the browser tests of a process, and contexts that keep their caches."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, sync_playwright

PATH = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
#: Features to do without: those that Playwright names, whose list this one replaces, and the address bar's popups, two pages that
#: the browser loads for each window, which takes longer than most pages of the tests.
WITHOUT = [
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable"),
    *("HttpsUpgrades", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("AvoidCORSURLLoaderRestartOnRedirect", "TcpPortRandomizationWin", "OptimizationHints", "NetworkTimeServiceQuerying"),
    *("AimEnabled", "PreconnectToSearch", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(WITHOUT)}",
    # No other host is reached; a route that refuses them would switch the browser's cache off.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
]
#: A browser as people use it: neither headless nor driven by a program, as far as a site can see, and with its cache of pages.
USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
AS_PEOPLE_DO = [*ARGUMENTS, f"--user-agent={USER_AGENT}", "--disable-blink-features=AutomationControlled"]
NOT_AS_PEOPLE_DO = ["--enable-automation", "--disable-back-forward-cache"]
#: How long a page is waited for, in milliseconds: the machine may be busy with other tests.
WAIT_MILLISECONDS = 20_000


class Chromium:
    """A running browser, and its contexts for the site at one address.

    Starting a browser takes seconds, and so does filling a cache: the admin's scripts are megabytes. Therefore it lives as
    long as the process, and so do its contexts, which are emptied of everything but their cache after each test. A page that
    the cache holds is still asked for: addresses without a version are revalidated by a hash of what they hold.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        self.address = address
        self._loop = asyncio.get_running_loop()
        self._contexts: dict[bool, BrowserContext] = {}
        #: Messages about everything that the Content-Security-Policy of a page has blocked in this test.
        self.blocked: list[str] = []
        asyncio._set_running_loop(None)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """For as long as one test lasts; whatever it has opened is closed at the end.

        Playwright leaves its event loop marked as the one that runs in this thread, where Django then refuses queries and other
        code cannot run a loop of its own. Between the tests it is not marked.
        """
        asyncio._set_running_loop(self._loop)
        self.blocked.clear()
        try:
            yield
            self._empty()
        finally:
            asyncio._set_running_loop(None)
        assert not self.blocked, "\n".join(self.blocked)

    def context(self, *, scripts: bool = True) -> BrowserContext:
        """The context in which scripts run, or the one in which they do not; empty but for its cache."""
        if scripts not in self._contexts:
            self._contexts[scripts] = self.new_context(
                java_script_enabled=scripts, permissions=["clipboard-read", "clipboard-write"]
            )
        return self._contexts[scripts]

    @contextmanager
    def as_people_use_it(self) -> Iterator[BrowserContext]:
        """A context in another browser, which looks as if a person used it."""
        launch = self.browser.browser_type.launch
        browser = launch(executable_path=PATH, args=AS_PEOPLE_DO, ignore_default_args=NOT_AS_PEOPLE_DO)
        try:
            yield self.new_context(browser)
        finally:
            browser.close()

    def new_context(self, browser: Browser | None = None, **options: Any) -> BrowserContext:
        """A context of its own, with an empty cache."""
        context = (browser or self.browser).new_context(base_url=self.address, **options)
        context.set_default_timeout(WAIT_MILLISECONDS)
        context.on("console", self._note)
        return context

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            self.blocked.append(f"{message.location['url']}: {message.text}")

    def _empty(self) -> None:
        kept = list(self._contexts.values())
        for context in self.browser.contexts:
            if context not in kept:
                context.close()
        for context in kept:
            for page in context.pages[1:]:
                page.close()
            for page in context.pages:
                about = {"origin": self.address, "storageTypes": "cookies,local_storage,indexeddb"}
                context.new_cdp_session(page).send("Storage.clearDataForOrigin", about)
                page.close()
            context.clear_cookies()


@contextmanager
def launch(address: str) -> Iterator[Chromium]:
    """A browser that reaches the site at the address and nothing else."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PATH, args=ARGUMENTS)
        chromium = Chromium(browser, address)
        yield chromium
        with chromium.in_use():
            pass
        asyncio._set_running_loop(chromium._loop)
        browser.close()
    asyncio._set_running_loop(None)
