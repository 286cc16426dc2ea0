// Offers to undo a change for half a minute. Afterwards its history does.
import { fetchPart, withQuery } from './dom.ts'

const OFFERED_MS = 30_000
const FORM = 'form[data-undo]'

for (const form of document.querySelectorAll(FORM)) expire(form)

function expire(form: Element) {
  setTimeout(() => {
    // A person who has just reached the button keeps it.
    if (form.contains(document.activeElement)) form.addEventListener('focusout', () => form.remove())
    else form.remove()
  }, OFFERED_MS)
}

/** For a change that a script has saved: adds the button to the sentence that tells of it. */
export async function offerUndo(notice: HTMLElement) {
  const told = notice.textContent
  const answer = document.createElement('template')
  answer.innerHTML = (await fetchPart(withQuery(location.href, { _part: 'notice' }))) ?? ''
  const form = answer.content.querySelector(FORM)
  if (!form || notice.textContent !== told) return
  notice.append(form)
  expire(form)
}
