"""A report in headless Chromium: what a reader would see and do."""

import importlib.resources
import shutil
import threading
from contextlib import contextmanager

import psutil

from support import needs

CHROMIUM = shutil.which("chromium")
# A machine may have none and wait for them.
WITHOUT_DEVICES = ["--disable-gpu", "--disable-audio-output"]
PATIENCE_MS = 180_000  # for what comes in a moment, on a machine that has little time for it
HANG_SECONDS, ATTEMPTS = 1200, 3
UNDRAWN = """[...document.querySelectorAll('.chart')]
    .filter((chart) => chart.offsetParent && !(chart.querySelector('svg')?.clientHeight > 50))
    .map((chart) => chart.ariaLabel)"""
needs_browser = needs.program("chromium")


@contextmanager
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=WITHOUT_DEVICES)
        yield started
        started.close()


class Hang(Exception):
    """Chromium does not answer."""


def asked(visit):
    """``visit(chromium)``, again in another Chromium where the first one hangs and is killed."""
    from playwright.sync_api import Error

    hung = threading.Event()
    for _ in range(ATTEMPTS):
        hung.clear()
        watch = threading.Timer(HANG_SECONDS, _kill_chromium, [hung])
        watch.start()
        try:
            with browser() as chromium:
                return visit(chromium)
        except Hang as error:
            print(error)
        except Error:
            if not hung.is_set():
                raise
        finally:
            watch.cancel()
    raise TimeoutError(f"Chromium hung {ATTEMPTS} times")


def _kill_chromium(hung):
    hung.set()
    for process in psutil.Process().children(recursive=True):
        if "chrom" in process.name():
            process.kill()


class Reader:
    """Somebody with a page open; ``errors`` and ``requests`` say what went wrong and out."""

    def __init__(self, started, path, *, width=1280, dark=False, scripts=True, at=""):
        size, scheme = {"width": width, "height": 900}, "dark" if dark else "light"
        how = {"viewport": size, "color_scheme": scheme, "java_script_enabled": scripts}
        self.page = started.new_context(**how).new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.errors, self.requests = [], []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{path.as_uri()}{at}")

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def open_everything(self):
        """Unfold all sections and scroll until all is drawn, or no more of it for a long time."""
        self.page.evaluate("document.getElementById('all')?.click()")
        self.unfold("main details")
        scroll = """async (patience) => {
            let end = Date.now() + patience;
            let left = Infinity;
            do {
                const undrawn = UNDRAWN.length;
                if (undrawn < left) end = Date.now() + patience;
                left = Math.min(left, undrawn);
                for (let y = 0; y < document.body.scrollHeight; y += 600) {
                    scrollTo({ top: y, behavior: 'instant' });
                    await new Promise((done) => setTimeout(done, 40));
                }
            } while (UNDRAWN.length > 0 && Date.now() < end);
            scrollTo({ top: 0, behavior: 'instant' });
        }"""
        self.page.evaluate(scroll.replace("UNDRAWN", UNDRAWN), PATIENCE_MS)

    def unfold(self, selector):
        """Unfold what is folded, more than one of those that fold each other, too."""
        self.page.evaluate(
            """(selector) => document.querySelectorAll(selector).forEach((fold) => {
                fold.removeAttribute('name');
                fold.open = true;
            })""",
            selector,
        )

    def undrawn(self):
        """Charts that can be seen and are not drawn."""
        return self.page.evaluate(UNDRAWN)

    def too_wide(self):
        """What sticks out of the page, unless it scrolls by itself."""
        return self.page.evaluate("""[...document.querySelectorAll('main *, header *')]
            .filter((element) => !element.closest('.scroll, .picture, .chart'))
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .map((element) => [element.localName, element.className, element.textContent])
            .map(([name, kind, text]) => `${name}.${kind}: ${text.slice(0, 40)}`)""")

    def serious_violations(self):
        """What axe-core calls serious or critical."""
        axe = importlib.resources.files("axe_playwright_python") / "axe.min.js"
        self.page.evaluate(axe.read_text(encoding="utf-8"))
        told = self.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        return [
            (violation["id"], [node["target"] for node in violation["nodes"]][:3])
            for violation in told["violations"]
            if violation["impact"] in ("serious", "critical")
        ]

    def silent_players(self):
        """Audio that does not play, or is no sound once decoded.

        Raises ``Hang`` where Chromium neither plays nor refuses to: play() promises neither.
        """
        listen = """async (patience) => {
            const late = () => new Promise((done) => setTimeout(() => done('hangs'), patience));
            const moment = () => new Promise((done) => setTimeout(done, 20));
            const play = async (player) => {
                player.muted = true;
                await player.play();
                while (!(player.currentTime > 0)) await moment();
                player.pause();
                const file = await (await fetch(player.src)).arrayBuffer();
                const sound = await new OfflineAudioContext(1, 1, 16000).decodeAudioData(file);
                const louder = (peak, sample) => Math.max(peak, Math.abs(sample));
                const peak = sound.getChannelData(0).reduce(louder, 0);
                return peak > 0.001 ? 'plays' : 'silence';
            };
            const players = [];
            for (const player of document.querySelectorAll('audio')) {
                const first = Promise.race([play(player), late()]);
                const heard = await first.catch((error) => `${error}`);
                players.push([player.ariaLabel, heard]);
                if (heard === 'hangs') break;
            }
            return players;
        }"""
        answers = self.page.evaluate(listen, PATIENCE_MS / 3)
        if ["hangs"] in [heard[1:] for heard in answers]:
            raise Hang(f"play() of {answers[-1][0]} is not answered")
        return [answer for answer in answers if answer[1] != "plays"]
