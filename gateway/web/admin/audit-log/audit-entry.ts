// Shows one entry of the audit log, with the values before and after side by side. Also shows the newest
// entries about a thing on the thing's own page.

import { includesRole } from '../../../../shared/administrators/roles.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import { isUndoable } from '../../../../shared/undo/undo.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import { type Call, definePage, type Page } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { showInstant } from '../../pages/time/instants.ts'
import type { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { type Column, showCard, showFactList, showLink, showTable } from '../../pages/ui/parts.ts'
import { nameAction } from './actions.ts'
import { showActor } from './actors.ts'
import { showSentence } from './describe-entry.ts'
import { findHistory } from './history-queries.ts'
import { type AuditEntry, findAuditEntry, findUndoingEntry } from './queries.ts'
import { findNames, findThingNoun, findThingPath, toAuditedFields } from './things.ts'

export const missingEntry = message`This audit log entry does not exist.`

export const auditEntryPage = definePage({
  path: '/audit-log/{id}',
  title: sentence`Audit log entry`,
  section: 'Audit log',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingEntry,
  async show(call) {
    const [entry, zone] = await Promise.all([
      findAuditEntry(call.reads, call.params.id),
      findCommonZone(call.reads),
    ])
    if (!entry) throw new Refusal('not_found', missingEntry)
    const [names, undoing] = await Promise.all([
      findNames(call.reads, [entry]),
      findUndoingEntry(call.reads, [entry]),
    ])
    const fields = compareFields(entry)
    const changed = fields.filter(({ isChanged }) => isChanged).length
    return {
      breadcrumbs: [[t`Audit log`, findBackPath(call, '/audit-log')]],
      title:
        entry.resourceId === null
          ? nameAction(entry.action)
          : t`${nameAction(entry.action)} ${entry.resourceId}`,
      lead: html`${showActor(entry)} ${showSentence({ call, names, zone }, entry)}.`,
      tools: undoing === undefined ? showUndoLink(call, entry, 'button quiet') : null,
      content: html`${showCard(t`Details`, showFacts(call, entry, { zone, undoing }), 'details')}
<section aria-labelledby="difference"><div class="head"><div><h2 id="difference">${t`Before and after`}</h2>
${fields.length > 0 && html`<p class="lead">${t`${changed} of ${fields.length} fields changed.`}</p>`}</div></div>
${showTable(t`Fields`, createColumns(), fields, t`No previous or new values were recorded.`)}</section>`,
    }
  },
})

const createColumns = (): Column<FieldChange>[] => [
  {
    label: t`Field`,
    show: ({ name, isChanged }) =>
      html`<code>${name}</code>${isChanged && html` <span class="badge accent">${t`changed`}</span>`}`,
  },
  {
    label: t`Before`,
    show: ({ before, isChanged }) =>
      isChanged && before !== undefined ? html`<del>${showValue(before)}</del>` : showValue(before),
  },
  {
    label: t`After`,
    show: ({ after, isChanged }) =>
      isChanged && after !== undefined ? html`<ins>${showValue(after)}</ins>` : showValue(after),
  },
]

/**
 * Links to the page that undoes the entry and then returns here. Returns null if this kind of entry cannot be undone.
 */
function showUndoLink(call: Call, { id, action }: AuditEntry, look?: string) {
  if (!isUndoable(action)) return null
  const back = call.linkHere({ back: null }).slice(call.link('/').length)
  return showLink(call.link(`/undo/${id}`, { back }), t`Undo`, {
    class: look,
    'aria-label': t`Undo entry ${id}`,
  })
}

type EntryContext = { zone: string; undoing: number | undefined }

function showFacts(call: Call, entry: AuditEntry, { zone, undoing }: EntryContext): Html {
  const { at, actorType, actor, action, resource, resourceId, requestId } = entry
  const of = findThingPath(resource)
  const isThere = of !== undefined && resourceId !== null && !action.endsWith('.delete')
  return showFactList([
    [t`When`, showInstant(at, zone)],
    [
      t`Who`,
      html`${showActor(entry)} ${showLink(call.link('/audit-log', { by: actorType, name: actor }), t`Everything they changed`)}`,
    ],
    [t`Action`, html`${nameAction(action)} <code>${action}</code>`],
    [
      t`What`,
      html`${findThingNoun(resource)} ${resourceId}
${isThere && showLink(call.link(`${of}${resourceId}`), t`Open`)}
${resourceId !== null && showLink(call.link('/audit-log', { what: resource, id: resourceId }), t`History`)}`,
    ],
    [
      t`Undone by`,
      undoing === undefined ? undefined : showLink(call.link(`/audit-log/${undoing}`), t`a later change`),
    ],
    [t`Request ID`, html`<code>${requestId}</code>`],
  ])
}

// Returns the changed fields in the stored order. A value that is not an object counts as a single field.
type FieldChange = ReturnType<typeof compareFields>[number]

function compareFields({ before, after }: AuditEntry) {
  const [was, is] = [toAuditedFields(before), toAuditedFields(after)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return names.map((name) => {
    const isChanged = JSON.stringify(was[name]) !== JSON.stringify(is[name])
    return { name, before: was[name], after: is[name], isChanged }
  })
}

function showValue(of: unknown): Content {
  if (of === undefined) return html`<span class="soft">–</span>`
  if (typeof of === 'string') return of === '' ? html`<span class="soft">${t`empty`}</span>` : of
  if (typeof of !== 'object' || of === null) return html`<code>${String(of)}</code>`
  return html`<pre class="value" tabindex="0">${JSON.stringify(of, null, 2)}</pre>`
}

/** Declares the tab with the history of a thing. `zone` is the thing's time zone, if it has one. */
export const defineHistoryPage = <Found>(
  { page }: Pick<ReturnType<typeof defineResourcePages<Found>>, 'page'>,
  resourceName: string,
  zoneOf: (found: Found) => string | undefined,
): Page =>
  page({
    path: '/history',
    title: sentence`History`,
    show: async (call, found) => ({
      content: html`${await showHistory(call, resourceName, call.params.id, zoneOf(found))}`,
    }),
  })

const SHOWN_ENTRIES_MAX = 8

/**
 * Shows the history of a thing. Returns nothing for viewers who may not see the audit log. `zone` is the time zone of
 * the place, if it has one.
 */
export async function showHistory(call: Call, resource: string, id: number, zone?: string): Promise<Content> {
  if (!includesRole(call.requireAdmin().role, 'administrator')) return null
  const found = await findHistory(call.reads, { resource, id, limit: SHOWN_ENTRIES_MAX + 1 })
  const entries = found.slice(0, SHOWN_ENTRIES_MAX)
  const [names, common] = await Promise.all([
    findNames(call.reads, entries),
    zone ?? findCommonZone(call.reads),
  ])
  const items = entries.map(
    (
      entry,
      index,
    ) => html`<li><p>${showActor(entry)} ${showSentence({ call, names, zone: common }, entry)}.</p>
<p class="soft">${showInstant(entry.at, common)} · ${showLink(call.link(`/audit-log/${entry.id}`), t`Details`, { 'aria-label': t`Details of entry ${entry.id}` })}${index === 0 && isUndoable(entry.action) && html` · ${showUndoLink(call, entry)}`}</p></li>`,
  )
  return html`<section class="card" aria-labelledby="history"><h2 id="history">${t`History`}</h2>
${items.length === 0 ? html`<p>${t`Nothing has been recorded yet.`}</p>` : html`<ul class="rows">${items}</ul>`}
${items.length > 0 && html`<p>${showLink(call.link('/audit-log', { what: resource, id, whole: 'true' }), t`View in audit log`)}</p>`}</section>`
}
