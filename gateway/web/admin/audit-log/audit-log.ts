// The audit log: who changed what, and when.
import { object, queryFlag, queryId, text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate, startOfDay } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { hereAsBack } from '../../pages/page/back.ts'
import { type Call, page } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { showDayLinks } from '../../pages/search/day-search.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatInstant } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { choices } from '../../pages/ui/fields.ts'
import { filterBar } from '../../pages/ui/forms.ts'
import { type Column, listedTable, showLink } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { actionOptions, matchesAction, nameAction } from './actions.ts'
import { showActor } from './actors.ts'
import { showSentence } from './describe-entry.ts'
import { searchAbout, searchThings } from './history-queries.ts'
import {
  type AuditEntry,
  type AuditRow,
  type AuditSearch,
  listActions,
  searchAuditLog,
  withValues,
} from './queries.ts'
import { type AuditContext, findNames } from './things.ts'

const ENTRIES_A_PAGE = 50
const ACTORS = choices(
  ['admin', sentence`Administrators`],
  ['token', sentence`Tokens`],
  ['user', sentence`People`],
  ['system', sentence`Berth, screens and commands`],
)

export const auditLog = page({
  path: '/audit-log',
  title: sentence`Audit log`,
  section: 'Audit log',
  query: object({
    by: ACTORS.rule(),
    name: text({ max: 255 }),
    about: text({ max: 255 }),
    what: text({ max: 100 }),
    id: queryId(),
    /** For one thing, includes what happened to its bookings, as on its own page. */
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
      actions: what === undefined ? undefined : known.filter((action) => matchesAction(action, what)),
      resource: what?.split('.')[0],
      resourceId: id,
      from: from && startOfDay(from, zone),
      to: to && startOfDay(addDaysToDate(to, 1), zone),
      before,
    }
    const limit = ENTRIES_A_PAGE + 1
    const found = await findEntries(call, search, { known, limit })
    const entries = await withValues(call.reads, found.slice(0, ENTRIES_A_PAGE))
    const names = await findNames(call.reads, entries)
    return {
      lead: t`Who changed what, newest first. Dates and times are in the time zone ${formatZone(zone)}.`,
      content: html`${filterBar(
        call,
        (fields) => [
          // A new search starts with the newest entries.
          fields.labels.set('before', '') && null,
          fields.select('by', t`By`, { any: t`Anyone`, options: ACTORS.options() }),
          fields.search('name', t`Name`, { placeholder: t`Who` }),
          fields.search('about', t`About`, { placeholder: t`Person, desk or place` }),
          fields.select('what', t`Action`, {
            any: t`Anything`,
            options: actionOptions(known, what),
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
${listedTable(t`Entries`, columns({ call, names, zone }), entries, nothingFound(call))}
${auditPager(call, found)}`,
    }
  },
})

type Query = { about?: string | undefined; what?: string | undefined; whole?: boolean | undefined }

function findEntries(
  { reads, query: { about, what, whole } }: Call<unknown, Query>,
  search: AuditSearch,
  { known, limit }: { known: string[]; limit: number },
): Promise<AuditRow[]> {
  const { resourceId: id, ...rest } = search
  if (about?.trim()) return searchAbout(reads, { ...search, about }, limit)
  if (whole && id !== undefined && what !== undefined && !what.includes('.'))
    return searchThings(reads, { resources: [what], ids: [id] }, { ...rest, actions: undefined }, limit)
  return searchAuditLog(reads, search, { known, limit })
}

function columns(context: AuditContext): Column<AuditEntry>[] {
  const { call, zone } = context
  return [
    { label: t`When`, isShort: true, show: ({ at }) => formatInstant(at, zone) },
    { label: t`Who`, show: showActor },
    { label: t`What`, isWide: true, show: (entry) => showSentence(context, entry) },
    {
      label: t`Action`,
      isMinor: true,
      show: ({ action }) => html`<span title="${action}">${nameAction(action)}</span>`,
    },
    { label: t`ID`, isNumber: true, isMinor: true, show: ({ resourceId }) => resourceId ?? '–' },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id }) => showLink(call.link(`/audit-log/${id}`, { back: hereAsBack(call) }), t`Show`),
    },
  ]
}

function auditPager(call: Call<unknown, { before?: number | undefined }>, found: AuditRow[]): Html | false {
  const isFirst = call.query.before === undefined
  const last = found.length > ENTRIES_A_PAGE ? found[ENTRIES_A_PAGE - 1] : undefined
  if (isFirst && !last) return false
  return html`<nav class="pager" aria-label="${t`Pages`}">
${!isFirst && showLink(call.linkHere({ before: null }), t`Newest`, { class: 'button quiet' })}
${last && showLink(call.linkHere({ before: last.id }), t`Older`, { class: 'button quiet', rel: 'next' })}
</nav>`
}

function nothingFound(call: Call): Content {
  return showEmpty(
    t`No matching entries.`,
    html`${t`Every change to people, places, bookings, meetings and tokens is recorded here, with who made it.`}
${showLink(call.link('/audit-log'), t`Show all entries`)}.`,
  )
}
