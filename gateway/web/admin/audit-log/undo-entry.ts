// The page that undoes every entry of one write. The undo buttons of notices also post to it directly.
import { includesRole } from '../../../../shared/administrators/roles.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId, queryFlag } from '../../../../shared/schemas/fields.ts'
import { belongToOneWrite } from '../../../../shared/undo/one-write.ts'
import { isUndoable } from '../../../../shared/undo/undo.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { requireRole } from '../../pages/page/roles.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { showFormCard } from '../../pages/ui/forms.ts'
import { missingEntry } from './audit-entry.ts'
import { showSentence } from './describe-entry.ts'
import { type AuditRow, findUndoingEntry, listEntriesOfSameWrite, loadValues } from './queries.ts'
import { findNames } from './things.ts'

const SHOWN_ENTRIES_MAX = 8
const OF_THE_FRONT_DESK = ['bookings', 'booking_requests', 'events', 'series']

type EntryCall = Call<{ id: number }>

export const undoEntryPage = definePage({
  path: '/undo/{id}',
  title: sentence`Undo`,
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingEntry,
  actions: (action) => ({
    undo: action(object({ skips: queryFlag() }), async (call) => {
      await requireEntries(call)
      const { left } = (await call.dispatch('audit-entries.undo', { ...call.params, ...call.form })).data
      const stayed = plural(left, '# booking cannot be restored.', '# bookings cannot be restored.')
      const notice = left > 0 ? `${t`Undone.`} ${stayed}` : t`Undone.`
      return { redirectTo: call.link(findBackPath(call, '/')), notice }
    }),
  }),
  async show(call) {
    const entries = await requireEntries(call)
    const isDone = (await findUndoingEntry(call.reads, entries)) !== undefined
    const isPossible = belongToOneWrite(entries) && entries.every(({ action }) => isUndoable(action))
    const list = await showSentences(call, entries)
    const cancel = call.link(findBackPath(call, '/'))
    if (isDone || !isPossible) {
      const why = isDone ? t`This has been undone.` : t`This cannot be undone here.`
      return { title: t`Nothing to undo`, content: html`<div class="card"><p>${why}</p>${list}</div>` }
    }
    const cancelled = entries.filter(({ action }) => action === 'bookings.delete')
    const options = { action: 'undo', submit: t`Undo`, cancel }
    return {
      title: t`Undo this change?`,
      lead: t`You can undo a change only if nobody has changed the same thing since.`,
      content: showFormCard(
        call,
        options,
        (fields) =>
          cancelled.length > 1 && fields.checkbox('skips', t`Leave out bookings that cannot be restored`),
        list,
      ),
    }
  },
})

/** Refuses entries that the viewer may not undo. The front desk role may undo only its own changes to bookings, requests and meetings. */
async function requireEntries(call: EntryCall): Promise<AuditRow[]> {
  const entries = await listEntriesOfSameWrite(call.reads, call.params.id)
  const { role, email } = call.requireAdmin()
  const isOwn = entries.every(({ actorType, actor }) => actorType === 'admin' && actor === email)
  if (entries.length === 0 || !(isOwn || includesRole(role, 'administrator')))
    throw new Refusal('not_found', missingEntry)
  if (entries.some(({ resource }) => !OF_THE_FRONT_DESK.includes(resource)))
    requireRole(call.viewer, 'administrator')
  return entries
}

async function showSentences(call: EntryCall, found: AuditRow[]): Promise<Html> {
  const entries = await loadValues(call.reads, found.slice(0, SHOWN_ENTRIES_MAX))
  const [names, zone] = await Promise.all([findNames(call.reads, entries), findCommonZone(call.reads)])
  const more = found.length - entries.length
  return html`<ul class="rows">${entries.map(
    (entry) => html`<li>${entry.actor} ${showSentence({ call, names, zone }, entry)}.</li>`,
  )}${more > 0 && html`<li>${plural(more, 'and # more change', 'and # more changes')}</li>`}</ul>`
}
