// @ts-check
// Reloads the page when what a live part waits for is ready, so that the page shows it.

const reload = () => document.querySelector('[data-refresh] [data-reload]') && location.reload()

for (const part of document.querySelectorAll('[data-refresh]')) {
  new MutationObserver(reload).observe(part, { childList: true, subtree: true })
}
reload()
