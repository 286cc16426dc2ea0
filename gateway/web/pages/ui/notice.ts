// The notice that a page shows after an action, with a button that undoes the action if that is possible.
import { randomUUID } from 'node:crypto'
import { Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { createCsrfToken } from '../../sessions/csrf.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { Notice } from '../page/notices.ts'
import { showLink } from './parts.ts'
import { showNotice } from './states.ts'

/** Where the notice is shown. `here` is the address of the page. Undoing leads back to it. */
type NoticePlace = { root: string; base: string; viewer: Viewer | undefined; here: string }

export const showActionNotice = (
  place: NoticePlace,
  { text, tone = 'good', more, undo, undoAlso = [] }: Notice,
): Html =>
  showNotice(
    tone,
    html`${text} ${more && showLink(linkTo(place.root, more.path), more.label)}`,
    undo !== undefined && showUndoForm(place, undo, undoAlso),
  )

/** Marks the place of the notice in a page that shows it in its content, instead of above the page. */
export const NOTICE_PLACE = new Html('<!-- notice -->')

/** Returns the content with the notice in its place; undefined if the page has no such place. */
export const placeNotice = (content: Html, notice: Html | undefined): Html | undefined =>
  content.text.includes(NOTICE_PLACE.text)
    ? new Html(content.text.replace(NOTICE_PLACE.text, () => notice?.text ?? ''))
    : undefined

/** Shows the form that undoes an action. A script removes it after half a minute. */
function showUndoForm({ root, base, viewer, here }: NoticePlace, id: number, also: number[]): Html | false {
  if (!viewer) return false
  const address = linkTo(root, `/undo/${id}`, {
    back: here.slice(base.length),
    also: also.length > 0 ? also.join(',') : undefined,
  })
  const values = { _csrf: createCsrfToken(viewer), _action: 'undo', _submission: randomUUID() }
  const hidden = Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${address}" data-undo>${hidden}<button class="button quiet">${t`Undo`}</button></form>`
}
