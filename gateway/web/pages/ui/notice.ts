// The notice that a page shows after an action, with a button that undoes it, if that is possible.
import { randomUUID } from 'node:crypto'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { csrfToken } from '../../sessions/csrf.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { Notice } from '../page/notices.ts'
import { showLink } from './parts.ts'
import { showNotice } from './states.ts'

/** `here` is the address of the page, to which undoing leads back. */
type Place = { root: string; base: string; viewer: Viewer | undefined; here: string }

export const showDone = (place: Place, { text, tone = 'good', more, undo, undoAlso = [] }: Notice): Html =>
  showNotice(
    tone,
    html`${text} ${more && showLink(linkTo(place.root, more.path), more.label)}`,
    undo !== undefined && undoForm(place, undo, undoAlso),
  )

/** A script removes it after half a minute. */
function undoForm({ root, base, viewer, here }: Place, id: number, also: number[]): Html | false {
  if (!viewer) return false
  const address = linkTo(root, `/undo/${id}`, {
    back: here.slice(base.length),
    also: also.length > 0 ? also.join(',') : undefined,
  })
  const values = { _csrf: csrfToken(viewer), _action: 'undo', _submission: randomUUID() }
  const hidden = Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${address}" data-undo>${hidden}<button class="button quiet">${t`Undo`}</button></form>`
}
