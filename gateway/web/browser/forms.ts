// Shows that a form is being sent, and does not send it twice. The server would act only once anyway. A form that
// undoes a change is offered for half a minute; afterwards, the history of the resource offers it.
import { fetchPart, withQuery } from './shared/dom.ts'

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  if (form.hasAttribute('data-sent')) return event.preventDefault()
  form.setAttribute('data-sent', '')
  for (const button of form.querySelectorAll('button')) button.setAttribute('aria-busy', 'true')
})

// A page from the browser's back/forward cache must be usable again.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    form.removeAttribute('data-sent')
    for (const button of form.querySelectorAll('button')) button.removeAttribute('aria-busy')
  }
})

// A service worker keeps forms that reach no server. Browsers provide service workers only with TLS.
navigator.serviceWorker
  ?.register(new URL(`form-keeper.js?language=${document.documentElement.lang}`, import.meta.url), {
    // Without a slash, or the first page would not be in it.
    scope: new URL('../..', import.meta.url).pathname.replace(/\/$/, ''),
  })
  .catch(() => undefined)

// Makes the message above a refused form visible first.
document.querySelector('.notice[autofocus]')?.scrollIntoView({ block: 'nearest' })

const OFFERED_MS = 30_000
const UNDO = 'form[data-undo]'

for (const form of document.querySelectorAll(UNDO)) expire(form)

function expire(form: Element) {
  setTimeout(() => {
    // Keeps the button while it has the focus.
    if (form.contains(document.activeElement)) form.addEventListener('focusout', () => form.remove())
    else form.remove()
  }, OFFERED_MS)
}

/** For a change that a script has saved: adds the button to the sentence about it. */
export async function offerUndo(notice: HTMLElement) {
  const told = notice.textContent
  const answer = document.createElement('template')
  answer.innerHTML = (await fetchPart(withQuery(location.href, { _part: 'notice' }))) ?? ''
  const form = answer.content.querySelector(UNDO)
  if (!form || notice.textContent !== told) return
  notice.append(form)
  expire(form)
}
