// The plan of an import, section by section: who is added, changed, refused, skipped and deactivated.
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { type Column, pager, table } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { type Counts, listPlanRows, type PlanRow, type PlanSection, SECTIONS } from './queries.ts'

type Query = { show?: PlanSection | undefined; page: number }
type Shown = { planId: string; counts: Counts; isApplied: boolean }

const A_PAGE = 100

const LABELS: Record<PlanSection, [ahead: string, done: string]> = {
  create: ['To add', 'Added'],
  change: ['To change', 'Changed'],
  error: ['Errors', 'Errors'],
  skip: ['Skipped', 'Skipped'],
  deactivate: ['To deactivate', 'Deactivated'],
}
const EMPTY: Record<PlanSection, string> = {
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
}
const FIELDS: Record<string, string> = {
  active: 'Active',
  name: 'Name',
  email: 'E-mail',
  groups: 'Groups',
  license_plates: 'License plates',
}

/** Errors first where there are any: they are what somebody has to do something about. */
export async function planSections(
  call: Call<unknown, Query>,
  { planId, counts, isApplied }: Shown,
): Promise<Html> {
  const { page } = call.query
  const first = SECTIONS.find((each) => each !== 'skip' && counts[each] > 0) ?? 'skip'
  const section = call.query.show ?? (counts.error > 0 ? 'error' : first)
  const rows = await listPlanRows(call.services.primary, planId, {
    section,
    offset: (page - 1) * A_PAGE,
    limit: A_PAGE,
  })
  const label = LABELS[section][isApplied ? 1 : 0]
  return html`${tabs(call, section, counts, isApplied)}
${section === 'error' && counts.error > 0 && downloads(call, planId)}
${table(label, columnsOf(call, section), rows, EMPTY[section])}
${pager(call, { page, hasMore: counts[section] > page * A_PAGE })}`
}

function tabs(call: Call, section: PlanSection, counts: Counts, isApplied: boolean): Html {
  const items = SECTIONS.map((each) => {
    const address = call.linkHere({ show: each, page: null })
    const current = each === section ? html` aria-current="true"` : ''
    return html`<li><a href="${address}"${current}>${LABELS[each][isApplied ? 1 : 0]}
<span class="count">${formatNumber(counts[each])}</span></a></li>`
  })
  return html`<nav class="tabs" aria-label="Import plan"><ul>${items}</ul></nav>`
}

// Where it is applied the rows are those of the plan that was.
function downloads(call: Call, planId: string): Html {
  const address = (format: string) => call.link(`/people/imports/${planId}`, { _download: format })
  return html`<p>Download these rows with their errors: <a href="${address('csv')}" download>csv</a>,
<a href="${address('xlsx')}" download>xlsx</a>. Fix them in the file and import it again.</p>`
}

function columnsOf(call: Call, section: PlanSection): Column<PlanRow>[] {
  const row: Column<PlanRow> = { label: 'Row', isNumber: true, show: ({ rowNumber }) => rowNumber }
  const who: Column<PlanRow> = {
    label: 'Name',
    isHead: true,
    show: ({ userId, name, email }) => {
      const shown = name ?? email ?? 'no name'
      return userId === null ? shown : html`<a href="${call.link(`/people/${userId}`)}">${shown}</a>`
    },
  }
  const email: Column<PlanRow> = { label: 'E-mail', show: (each) => each.email }
  const columns: Record<PlanSection, Column<PlanRow>[]> = {
    create: [row, who, email, { label: 'Details', show: ({ changes }) => gains(changes) }],
    change: [row, who, email, { label: 'Changes', show: ({ changes }) => differences(changes) }],
    error: [row, who, { label: 'Errors', show: ({ errors }) => wrongs(errors) }],
    skip: [row, who, email, { label: 'Reason', show: ({ reason }) => reason && REASONS[reason] }],
    deactivate: [who, email, { label: 'Bookings', isNumber: true, show: ({ held }) => held }],
  }
  return columns[section]
}

function differences(changes: PlanRow['changes']): Html {
  const items = Object.entries(changes ?? {}).map(
    ([field, [before, after]]) =>
      html`<li><b>${FIELDS[field] ?? field}:</b> <del>${shown(before)}</del> → <ins>${shown(after)}</ins></li>`,
  )
  return html`<ul class="changes">${items}</ul>`
}

/** Of somebody new only what is not in the other columns. */
function gains(changes: PlanRow['changes']): Html {
  const items = Object.entries(changes ?? {})
    .filter(([field]) => field !== 'name' && field !== 'email')
    .map(([field, [, after]]) => html`<li><b>${FIELDS[field] ?? field}:</b> ${shown(after)}</li>`)
  return html`<ul class="changes">${items}</ul>`
}

function shown(value: unknown): Content {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none'
  return value === null || value === '' ? 'empty' : String(value)
}

function wrongs(errors: PlanRow['errors']): Html {
  const items = Object.entries(errors ?? {}).flatMap(([column, sentences]) =>
    sentences.map((each) => html`<li><span class="badge bad">${column}</span> ${each}</li>`),
  )
  return html`<ul class="changes">${items}</ul>`
}
