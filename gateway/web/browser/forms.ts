// Shows that a form is being sent, and does not send it twice. (The server would process it only once
// anyway.) Shows the undo button of a change for half a minute. Afterwards, the change can be undone in the
// history of the resource.
import { fetchPagePart, withQuery } from './shared/dom.ts'

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  if (form.hasAttribute('data-sent')) return event.preventDefault()
  form.setAttribute('data-sent', '')
  for (const button of form.querySelectorAll('button')) button.setAttribute('aria-busy', 'true')
})

// Makes forms usable again when the browser shows a page from its back/forward cache.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    form.removeAttribute('data-sent')
    for (const button of form.querySelectorAll('button')) button.removeAttribute('aria-busy')
  }
})

// The service worker keeps forms that reach no server. Browsers provide service workers only on HTTPS pages.
navigator.serviceWorker
  ?.register(new URL(`form-keeper.js?language=${document.documentElement.lang}`, import.meta.url), {
    // The scope has no slash at the end, so that it includes the start page.
    scope: new URL('../..', import.meta.url).pathname.replace(/\/$/, ''),
  })
  .catch(() => undefined)

// Scrolls to the message above a refused form.
document.querySelector('.notice[autofocus]')?.scrollIntoView({ block: 'nearest' })

// A new building is most likely in the time zone of this browser.
const zoneField = document.querySelector<HTMLSelectElement>('[data-browser-zone] select')
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const hasZone = [...(zoneField?.options ?? [])].some(({ value }) => value === zone)
// Keeps what the browser restored or the server refused.
if (zoneField && hasZone && !document.querySelector('main [role="alert"]')) zoneField.value = zone

const UNDO_OFFERED_MS = 30_000
const UNDO_SELECTOR = 'form[data-undo]'

for (const form of document.querySelectorAll(UNDO_SELECTOR)) removeAfterDelay(form)

function removeAfterDelay(form: Element) {
  setTimeout(() => {
    // Keeps the button while the button has the focus.
    if (form.contains(document.activeElement)) form.addEventListener('focusout', () => form.remove())
    else form.remove()
  }, UNDO_OFFERED_MS)
}

/** Adds the undo button to the message about a change that a script has saved. */
export async function offerUndo(notice: HTMLElement) {
  const shown = notice.textContent
  const answer = document.createElement('template')
  answer.innerHTML = (await fetchPagePart(withQuery(location.href, { _part: 'notice' }))) ?? ''
  const form = answer.content.querySelector(UNDO_SELECTOR)
  if (!form || notice.textContent !== shown) return
  notice.append(form)
  removeAfterDelay(form)
}
