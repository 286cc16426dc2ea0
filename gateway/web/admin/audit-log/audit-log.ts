// The audit log page: who changed what, and when.
import { object, queryFlag, queryId, text } from '../../../../shared/schemas/fields.ts'
import { findStartOfDay, formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { findReturnAddress } from '../../pages/page/back.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { showDayLinks } from '../../pages/search/day-search.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatInstant } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { choices } from '../../pages/ui/fields.ts'
import { showFilterBar } from '../../pages/ui/forms.ts'
import { type Column, showLink, showOneLineTable } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { isMatchingAction, listActionOptions } from './actions.ts'
import { showActor } from './actors.ts'
import { showSentence } from './describe-entry.ts'
import { searchAuditedResources, searchEntriesAbout } from './history-queries.ts'
import {
  type AuditEntry,
  type AuditRow,
  type AuditSearch,
  listActions,
  loadValues,
  searchAuditLog,
} from './queries.ts'
import { type AuditContext, findNames } from './things.ts'

const ENTRIES_PER_PAGE = 50
const ACTOR_CHOICES = choices(
  ['admin', sentence`Administrators`],
  ['token', sentence`Tokens`],
  ['user', sentence`People`],
  ['system', sentence`Berth, screens and commands`],
)

export const auditLogPage = definePage({
  path: '/audit-log',
  title: sentence`Audit log`,
  section: 'Audit log',
  query: object({
    by: ACTOR_CHOICES.rule(),
    name: text({ max: 255 }),
    about: text({ max: 255 }),
    what: text({ max: 100 }),
    id: queryId(),
    /** Whether a search for one thing includes entries about its bookings, as on the thing's own page. */
    whole: queryFlag(),
    from: localDate(),
    to: localDate(),
    before: queryId(),
  }),
  async show(call) {
    const { by, name, what, id, from, to, before } = call.query
    const [known, zone] = await Promise.all([listActions(call.reads), findCommonZone(call.reads)])
    const search: AuditSearch = {
      actorType: by,
      actor: name,
      actions: what === undefined ? undefined : known.filter((action) => isMatchingAction(action, what)),
      resource: what?.split('.')[0],
      resourceId: id,
      from: from && findStartOfDay(from, zone),
      to: to && findStartOfDay(addDaysToDate(to, 1), zone),
      before,
    }
    const limit = ENTRIES_PER_PAGE + 1
    const found = await findEntries(call, search, { known, limit })
    const entries = await loadValues(call.reads, found.slice(0, ENTRIES_PER_PAGE))
    const names = await findNames(call.reads, entries)
    return {
      lead: t`Who changed what, newest first. Dates and times are in the time zone ${formatZone(zone)}.`,
      content: html`${showFilterBar(
        call,
        (fields) => [
          // Drops the page position, so that a new search starts with the newest entries.
          fields.labels.set('before', '') && null,
          fields.select('by', t`By`, { any: t`Anyone`, options: ACTOR_CHOICES.options() }),
          fields.search('name', t`Name`, { placeholder: t`Who` }),
          fields.search('about', t`About`, { placeholder: t`Person, desk or place` }),
          fields.select('what', t`Action`, {
            any: t`Anything`,
            options: listActionOptions(known, what),
          }),
          fields.text('id', t`ID`, { placeholder: t`What was changed` }),
          fields.text('from', t`First day`, { type: 'date' }),
          fields.text('to', t`Last day`, { type: 'date' }),
        ],
        showDayLinks(
          call,
          { today: formatLocalDate(call.now, zone), first: from, last: to },
          { isOfPast: true },
        ),
      )}
${showOneLineTable(t`Entries`, createColumns({ call, names, zone }), entries, showNothingFound(call))}
${showPager(call, found)}`,
    }
  },
})

type AuditQuery = { about?: string | undefined; what?: string | undefined; whole?: boolean | undefined }

function findEntries(
  { reads, query: { about, what, whole } }: Call<unknown, AuditQuery>,
  search: AuditSearch,
  { known, limit }: { known: string[]; limit: number },
): Promise<AuditRow[]> {
  const { resourceId: id, ...rest } = search
  if (about?.trim()) return searchEntriesAbout(reads, { ...search, about }, limit)
  if (whole && id !== undefined && what !== undefined && !what.includes('.'))
    return searchAuditedResources(
      reads,
      { resources: [what], ids: [id] },
      { ...rest, actions: undefined },
      limit,
    )
  return searchAuditLog(reads, search, { known, limit })
}

function createColumns(context: AuditContext): Column<AuditEntry>[] {
  const { call, zone } = context
  return [
    { label: t`When`, isShort: true, show: ({ at }) => formatInstant(at, zone) },
    { label: t`Who`, show: showActor },
    {
      label: t`What`,
      isWide: true,
      show: (entry) =>
        html`<span title="${entry.action} ${entry.resourceId ?? ''}">${showSentence(context, entry)}</span>`,
    },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id }) => showLink(call.link(`/audit-log/${id}`, { back: findReturnAddress(call) }), t`Show`),
    },
  ]
}

function showPager(call: Call<unknown, { before?: number | undefined }>, found: AuditRow[]): Html | false {
  const isFirst = call.query.before === undefined
  const last = found.length > ENTRIES_PER_PAGE ? found[ENTRIES_PER_PAGE - 1] : undefined
  if (isFirst && !last) return false
  return html`<nav class="pager" aria-label="${t`Pages`}">
${!isFirst && showLink(call.linkHere({ before: null }), t`Newest`, { class: 'button quiet' })}
${last && showLink(call.linkHere({ before: last.id }), t`Older`, { class: 'button quiet', rel: 'next' })}
</nav>`
}

function showNothingFound(call: Call): Content {
  return showEmptyState(
    t`No matching entries.`,
    html`${t`Every change to people, places, bookings, meetings and tokens is recorded here, with who made it.`}
${showLink(call.link('/audit-log'), t`Show all entries`)}.`,
  )
}
