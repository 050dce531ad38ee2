"""A person with a browser: follows addresses, fills in forms, and stops where the client waits for its answer."""

import html
import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request

FILLED = {"username": "ann", "login": "ann", "password": "correct horse battery", "decision": "allow"}
MOST_PAGES = 20


class Unfollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Person:
    def __init__(self, callback):
        self.callback = callback
        self.visits = 0
        self.answer = None
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        # Whatever proxies this machine has, everything here is on it.
        self.browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies, Unfollowed())

    def visit(self, url):
        """Goes where the client sends its user; keeps what the client is answered with."""
        self.visits += 1
        form = None
        for _ in range(MOST_PAGES):
            if url.startswith(self.callback):
                self.answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
                if "code" not in self.answer:
                    raise RuntimeError(f"the login failed: {self.answer}")
                return
            url, form = self.page(url, form)
        raise RuntimeError("the login never ends")

    def page(self, url, form):
        try:
            page = self.browser.open(url, form, timeout=20)
        except urllib.error.HTTPError as error:
            page = error
        text = page.read().decode()
        if page.headers.get("location"):
            return urllib.parse.urljoin(url, page.headers["location"]), None
        found = re.search(r'<form[^>]*action="([^"]*)"', text)
        if not found:
            raise RuntimeError(f"there is nothing to fill in at {url}: {page.status} {text[:500]}")
        fields = {}
        for field in re.findall(r"<(?:input|button)[^>]*>", text):
            name, value = re.search(r'name="([^"]*)"', field), re.search(r'value="([^"]*)"', field)
            if name:
                given = html.unescape(value.group(1)) if value else ""
                fields[name.group(1)] = FILLED.get(name.group(1), given)
        return urllib.parse.urljoin(url, html.unescape(found.group(1))), urllib.parse.urlencode(fields).encode()
