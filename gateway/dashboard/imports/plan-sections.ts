// An import plan, section by section: who is added, changed, refused, skipped and deactivated.
import type { ImportCounts } from '../../../shared/contracts/users.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { beyondLast, formatRange } from '../ui/paging.ts'
import { type Column, pager, table } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import {
  IMPORT_PLAN_SECTIONS,
  type ImportPlanRow,
  type ImportPlanSection,
  listImportPlanRows,
} from './queries.ts'

type Query = { show?: ImportPlanSection | undefined; page: number }
type ImportPlanView = { planId: string; counts: ImportCounts; isApplied: boolean }

const ROWS_PER_PAGE = 100

const LABELS: Record<ImportPlanSection, [ahead: string, done: string]> = {
  create: ['To add', 'Added'],
  change: ['To change', 'Changed'],
  error: ['Errors', 'Errors'],
  skip: ['Skipped', 'Skipped'],
  deactivate: ['To deactivate', 'Deactivated'],
}
const EMPTY: Record<ImportPlanSection, string> = {
  create: 'No new people.',
  change: 'No changes.',
  error: 'No errors.',
  skip: 'No rows skipped.',
  deactivate: 'Nobody is deactivated.',
}
const REASONS = {
  same: 'No changes',
  known: 'Already exists, and updating is off',
  deactivated: 'Deactivated, and restoring is off',
  kept: 'A known person, who is not deactivated',
  unmatched: 'No known person',
}
const FIELDS: Record<string, string> = {
  active: 'Active',
  name: 'Name',
  email: 'E-mail',
  groups: 'Groups',
  license_plates: 'License plates',
}

/** Errors first where there are any: they are what somebody has to do something about. */
export async function showImportPlan(
  call: Call<unknown, Query>,
  { planId, counts, isApplied }: ImportPlanView,
): Promise<Html> {
  const { page } = call.query
  const first = IMPORT_PLAN_SECTIONS.find((each) => each !== 'skip' && counts[each] > 0) ?? 'skip'
  const section = call.query.show ?? (counts.error > 0 ? 'error' : first)
  const rows = await listImportPlanRows(call.services.primary, planId, {
    section,
    offset: (page - 1) * ROWS_PER_PAGE,
    limit: ROWS_PER_PAGE,
  })
  const label = LABELS[section][isApplied ? 1 : 0]
  const place = { page, rowsPerPage: ROWS_PER_PAGE, shown: rows.length, total: counts[section] }
  const hasMatches = counts.kept + counts.unmatched > 0
  return html`${tabs(call, section, counts, isApplied)}
${section === 'error' && counts.error > 0 && errorDownloads(call, planId)}
${table(label, columnsOf(call, section, hasMatches), rows, page > 1 ? beyondLast(call, page) : EMPTY[section])}
${pager(call, { page, hasMore: counts[section] > page * ROWS_PER_PAGE, range: formatRange(place) })}`
}

function tabs(call: Call, section: ImportPlanSection, counts: ImportCounts, isApplied: boolean): Html {
  const items = IMPORT_PLAN_SECTIONS.map((each) => {
    const address = call.linkHere({ show: each, page: null })
    const current = each === section ? html` aria-current="true"` : ''
    return html`<li><a href="${address}"${current}>${LABELS[each][isApplied ? 1 : 0]}
<span class="count">${formatNumber(counts[each])}</span></a></li>`
  })
  return html`<nav class="tabs" aria-label="Import plan"><ul>${items}</ul></nav>`
}

// Where it is applied the rows are those of the plan that was.
function errorDownloads(call: Call, planId: string): Html {
  const address = (format: string) => call.link(`/people/imports/${planId}`, { _download: format })
  return html`<p>Download these rows with their errors: <a href="${address('csv')}" download>csv</a>,
<a href="${address('xlsx')}" download>xlsx</a>. Fix them in the file and import it again.</p>`
}

function columnsOf(call: Call, section: ImportPlanSection, hasMatches: boolean): Column<ImportPlanRow>[] {
  const row: Column<ImportPlanRow> = { label: 'Row', isNumber: true, show: ({ rowNumber }) => rowNumber }
  const who: Column<ImportPlanRow> = {
    label: 'Name',
    isHead: true,
    show: ({ userId, name, email }) => {
      const shown = name ?? email ?? 'no name'
      return userId === null ? shown : html`<a href="${call.link(`/people/${userId}`)}">${shown}</a>`
    },
  }
  const email: Column<ImportPlanRow> = { label: 'E-mail', show: (each) => each.email }
  const reason = (label: string): Column<ImportPlanRow> => ({
    label,
    show: ({ reason: is }) => is && REASONS[is],
  })
  const columns: Record<ImportPlanSection, Column<ImportPlanRow>[]> = {
    create: [row, who, email, { label: 'Details', show: ({ changes }) => showNewValues(changes) }],
    change: [row, who, email, { label: 'Changes', show: ({ changes }) => showChanges(changes) }],
    error: [
      row,
      who,
      { label: 'Errors', show: ({ errors }) => showErrors(errors) },
      ...(hasMatches ? [reason('Match')] : []),
    ],
    skip: [row, who, email, reason('Reason')],
    deactivate: [
      who,
      email,
      { label: 'Bookings', isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    ],
  }
  return columns[section]
}

function showChanges(changes: ImportPlanRow['changes']): Html {
  const items = Object.entries(changes ?? {}).map(
    ([field, [before, after]]) =>
      html`<li><b>${FIELDS[field] ?? field}:</b> <del>${formatValue(before)}</del> → <ins>${formatValue(after)}</ins></li>`,
  )
  return html`<ul class="changes">${items}</ul>`
}

/** Of a new user only what is not in the other columns. */
function showNewValues(changes: ImportPlanRow['changes']): Html {
  const items = Object.entries(changes ?? {})
    .filter(([field]) => field !== 'name' && field !== 'email')
    .map(([field, [, after]]) => html`<li><b>${FIELDS[field] ?? field}:</b> ${formatValue(after)}</li>`)
  return html`<ul class="changes">${items}</ul>`
}

function formatValue(value: unknown): Content {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none'
  return value === null || value === '' ? 'empty' : String(value)
}

function showErrors(errors: ImportPlanRow['errors']): Html {
  const items = Object.entries(errors ?? {}).flatMap(([column, sentences]) =>
    sentences.map((each) => html`<li><span class="badge bad">${column}</span> ${each}</li>`),
  )
  return html`<ul class="changes">${items}</ul>`
}
