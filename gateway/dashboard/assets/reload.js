// @ts-check
// What a live part waits for is there: the page is loaded again, and shows it.

const reload = () => document.querySelector('[data-refresh] [data-reload]') && location.reload()

for (const part of document.querySelectorAll('[data-refresh]')) {
  new MutationObserver(reload).observe(part, { childList: true, subtree: true })
}
reload()
