// Shows an import plan in sections: rows with errors, and rows that are added, changed, refused, skipped or
// deactivated.

import type { RowErrors } from '../../../../shared/imports/headings.ts'
import type { ImportCounts } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatRange, showPageBeyondLast } from '../../pages/ui/paging.ts'
import { type Column, formatNumber, showLinkOrText, showPager, showTable } from '../../pages/ui/parts.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import type { ImportList, PlanCall, PlanFields } from './import-list.ts'
import { type ImportPlanRow, type ImportPlanSection, listImportPlanRows } from './queries.ts'

const ROWS_PER_PAGE = 100

type PlanView = { planId: string; counts: ImportCounts; isApplied: boolean }
type PlanColumn = Column<ImportPlanRow>
type RowChanges = ImportPlanRow['changes']

const SECTION_LABELS: Record<ImportPlanSection, [ahead: Sentence, done: Sentence]> = {
  create: [sentence`To add`, sentence`Added`],
  change: [sentence`To change`, sentence`Changed`],
  error: [sentence`Errors`, sentence`Errors`],
  skip: [sentence`Skipped`, sentence`Skipped`],
  deactivate: [sentence`To deactivate`, sentence`Deactivated`],
}
const EMPTY_SENTENCES: Record<Exclude<ImportPlanSection, 'create'>, Sentence> = {
  change: sentence`No changes.`,
  error: sentence`No errors.`,
  skip: sentence`No rows skipped.`,
  deactivate: sentence`Nobody is deactivated.`,
}
const REASON_COLUMN = {
  same: sentence`No changes`,
  known: sentence`Already exists, and updating is off`,
  deactivated: sentence`Deactivated, and restoring is off`,
  kept: sentence`Belongs to a known person, so that person stays active`,
  unmatched: sentence`No known person`,
}

/** Shows the plan. Errors come first, because they need action. */
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
  const labelOf = (name: ImportPlanSection) => translate(SECTION_LABELS[name][isApplied ? 1 : 0])
  const items = list.sections.map((name) => ({
    label: labelOf(name),
    count: counts[name],
    address: call.linkHere({ show: name, page: null }),
    isCurrent: name === section,
  }))
  const empty = translate(section === 'create' ? list.nothingNew : EMPTY_SENTENCES[section])
  const columns = createColumns(list, call)[section]
  return html`${showTabs(t`Import plan`, items)}
${section === 'error' && total > 0 && showErrorDownloads(call, list.reviewPath + planId)}
${showTable(labelOf(section), columns, rows, page > 1 ? showPageBeyondLast(call, page) : empty)}
${showPager(call, { page, hasMore: total > page * ROWS_PER_PAGE, range })}`
}

/** Links to files that list the errors. `path` is the path of the plan's page; for an applied import, the
 * page of the applied plan. */
function showErrorDownloads(call: PlanCall, path: string): Html {
  const file = (format: string) =>
    showLinkOrText(call.link(path, { _download: format }), format, { download: true })
  return html`<p>${tHtml`Download these rows with their errors: ${file('csv')}, ${file('xlsx')}. Fix them in the file and import it again.`}</p>`
}

/** Returns the columns to show. Leaves out columns that are empty in every row. */
function createColumns({ pathOf, fields }: ImportList, call: Call): Record<ImportPlanSection, PlanColumn[]> {
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
    show: ({ reason: is }) => is && translate(REASON_COLUMN[is]),
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

function showChanges(changes: RowChanges, fields: PlanFields): Html {
  const items = sortChanges(changes, fields).map(
    ([field, [before, after]]) =>
      html`<li><b>${findFieldName(field, fields)}:</b> <del>${fields.show(field, before)}</del> → <ins>${fields.show(field, after)}</ins></li>`,
  )
  return html`<ul class="changes">${items}</ul>`
}

/** Shows the values of a new row for which the table has no column. */
function showNewValues(changes: RowChanges, fields: PlanFields): Html {
  const items = sortChanges(changes, fields)
    .filter(([field]) => field !== 'name' && field !== 'email')
    .map(
      ([field, [, after]]) =>
        html`<li><b>${findFieldName(field, fields)}:</b> ${fields.show(field, after)}</li>`,
    )
  return html`<ul class="changes">${items}</ul>`
}

// Sorts the fields of changes, because the database does not keep their order.
function sortChanges(changes: RowChanges, { names }: PlanFields) {
  const known = Object.keys(names)
  const rank = (field: string) => (field in names ? known.indexOf(field) : known.length)
  return Object.entries(changes ?? {}).sort(([a], [b]) => rank(a) - rank(b))
}

function findFieldName(field: string, { names }: PlanFields): string {
  const known = names[field]
  return known === undefined ? field : translate(known)
}

function showErrors({ errors }: ImportPlanRow, fields: PlanFields): Html {
  const items = Object.entries(errors ?? {}).flatMap(([column, rules]) =>
    rules.map((rule) => {
      const name = fields.errorsNameFields ? findFieldName(column, fields) : column
      return html`<li><span class="badge bad">${name}</span> ${describeRule(rule)}</li>`
    }),
  )
  return html`<ul class="changes">${items}</ul>`
}

/** Shows an error without the row number that an older release stored in it, because the number has its own column. */
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
