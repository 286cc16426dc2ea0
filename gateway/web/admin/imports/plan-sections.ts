// An import plan by section: added, changed, refused, skipped and deactivated rows, and their errors.

import type { RowErrors } from '../../../../shared/imports/headings.ts'
import type { ImportCounts } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { beyondLast, formatRange } from '../../pages/ui/paging.ts'
import { type Column, formatNumber, pager, showLinkOrText, table } from '../../pages/ui/parts.ts'
import { tabs } from '../../pages/ui/tabs.ts'
import type { ImportList, PlanCall, ShownFields } from './import-list.ts'
import { type ImportPlanRow, type ImportPlanSection, listImportPlanRows } from './queries.ts'

const ROWS_PER_PAGE = 100

type PlanView = { planId: string; counts: ImportCounts; isApplied: boolean }
type PlanColumn = Column<ImportPlanRow>
type Changes = ImportPlanRow['changes']

const LABELS: Record<ImportPlanSection, [ahead: Sentence, done: Sentence]> = {
  create: [sentence`To add`, sentence`Added`],
  change: [sentence`To change`, sentence`Changed`],
  error: [sentence`Errors`, sentence`Errors`],
  skip: [sentence`Skipped`, sentence`Skipped`],
  deactivate: [sentence`To deactivate`, sentence`Deactivated`],
}
const EMPTY: Record<Exclude<ImportPlanSection, 'create'>, Sentence> = {
  change: sentence`No changes.`,
  error: sentence`No errors.`,
  skip: sentence`No rows skipped.`,
  deactivate: sentence`Nobody is deactivated.`,
}
const REASONS = {
  same: sentence`No changes`,
  known: sentence`Already exists, and updating is off`,
  deactivated: sentence`Deactivated, and restoring is off`,
  kept: sentence`A known person, who is not deactivated`,
  unmatched: sentence`No known person`,
}

/** Errors come first, because they need action. */
export async function showImportPlan(
  list: ImportList,
  call: PlanCall,
  { planId, counts, isApplied }: PlanView,
): Promise<Html> {
  const { page, show } = call.query
  const first = list.sections.find((each) => each !== 'skip' && counts[each] > 0) ?? 'skip'
  const section = show ?? (counts.error > 0 ? 'error' : first)
  const slice = { offset: (page - 1) * ROWS_PER_PAGE, limit: ROWS_PER_PAGE }
  const rows = await listImportPlanRows(call.services.primary, planId, section, slice)
  const total = counts[section]
  const range = formatRange({ page, rowsPerPage: ROWS_PER_PAGE, shown: rows.length, total })
  const labelOf = (name: ImportPlanSection) => translate(LABELS[name][isApplied ? 1 : 0])
  const items = list.sections.map((name) => ({
    label: labelOf(name),
    count: counts[name],
    address: call.linkHere({ show: name, page: null }),
    isCurrent: name === section,
  }))
  const empty = translate(section === 'create' ? list.nothingNew : EMPTY[section])
  const columns = columnsOf(list, call)[section]
  return html`${tabs(t`Import plan`, items)}
${section === 'error' && total > 0 && errorDownloads(call, list.reviewPath + planId)}
${table(labelOf(section), columns, rows, page > 1 ? beyondLast(call, page) : empty)}
${pager(call, { page, hasMore: total > page * ROWS_PER_PAGE, range })}`
}

/** `path` is the page of the plan; of an applied import, that of the plan that was applied. */
function errorDownloads(call: PlanCall, path: string): Html {
  const file = (format: string) =>
    showLinkOrText(call.link(path, { _download: format }), format, { download: true })
  return html`<p>${tHtml`Download these rows with their errors: ${file('csv')}, ${file('xlsx')}. Fix them in the file and import it again.`}</p>`
}

/** Leaves out columns that are empty in every row. */
function columnsOf({ pathOf, fields }: ImportList, call: Call): Record<ImportPlanSection, PlanColumn[]> {
  const row: PlanColumn = { label: t`Row`, isNumber: true, show: ({ rowNumber }) => rowNumber }
  const name: PlanColumn = {
    label: t`Name`,
    show: (each) => {
      const shown = each.name ?? each.email ?? t`no name`
      const path = pathOf(each)
      return path === undefined ? shown : showLinkOrText(call.link(path), shown)
    },
  }
  const email: PlanColumn = { label: t`E-mail`, show: (each) => each.email }
  const reason = (label: string): PlanColumn => ({
    label,
    show: ({ reason: is }) => is && translate(REASONS[is]),
  })
  return {
    create: [row, name, email, { label: t`Details`, show: (each) => showNewValues(each.changes, fields) }],
    change: [row, name, email, { label: t`Changes`, show: (each) => showChanges(each.changes, fields) }],
    error: [row, name, { label: t`Errors`, show: (each) => showErrors(each, fields) }, reason(t`Match`)],
    skip: [row, name, email, reason(t`Reason`)],
    deactivate: [
      name,
      email,
      { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    ],
  }
}

function showChanges(changes: Changes, fields: ShownFields): Html {
  const items = inOrder(changes, fields).map(
    ([field, [before, after]]) =>
      html`<li><b>${nameOf(field, fields)}:</b> <del>${fields.show(field, before)}</del> → <ins>${fields.show(field, after)}</ins></li>`,
  )
  return html`<ul class="changes">${items}</ul>`
}

/** Shows only those values of a new row that have no column. */
function showNewValues(changes: Changes, fields: ShownFields): Html {
  const items = inOrder(changes, fields)
    .filter(([field]) => field !== 'name' && field !== 'email')
    .map(([field, [, after]]) => html`<li><b>${nameOf(field, fields)}:</b> ${fields.show(field, after)}</li>`)
  return html`<ul class="changes">${items}</ul>`
}

// The database does not keep the order of the keys.
function inOrder(changes: Changes, { names }: ShownFields) {
  const known = Object.keys(names)
  const rank = (field: string) => (field in names ? known.indexOf(field) : known.length)
  return Object.entries(changes ?? {}).sort(([a], [b]) => rank(a) - rank(b))
}

function nameOf(field: string, { names }: ShownFields): string {
  const known = names[field]
  return known === undefined ? field : translate(known)
}

function showErrors({ errors }: ImportPlanRow, fields: ShownFields): Html {
  const items = Object.entries(errors ?? {}).flatMap(([column, rules]) =>
    rules.map((rule) => {
      const name = fields.errorsNameFields ? nameOf(column, fields) : column
      return html`<li><span class="badge bad">${name}</span> ${describeRule(rule)}</li>`
    }),
  )
  return html`<ul class="changes">${items}</ul>`
}

/** Without the number of the row, which has a column of its own; an older release has stored it. */
function describeRule(rule: RowErrors[string][number]): string {
  if (typeof rule === 'string') return rule
  const words = `${formatMessage(rule)}.`
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function formatValue(value: unknown): Content {
  if (value === true) return t`yes`
  if (value === false) return t`no`
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : t`none`
  return value === null || value === '' ? t`empty` : String(value)
}
