// The rows of an import plan, whatever it lists: the sections that they are in, what they change, and what is wrong with them.
import { describeRowError } from '../../../shared/lists/row-errors.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatMessage, type Sentence, sentence, t, tHtml } from '../language/translate.ts'
import { showLinkOrText } from '../ui/links.ts'
import { beyondLast, formatRange } from '../ui/paging.ts'
import { type Column, pager, table } from '../ui/tables.ts'
import { tabs } from '../ui/tabs.ts'
import { type ImportPlanRow, type ImportPlanSection, listImportPlanRows } from './queries.ts'

const ROWS_PER_PAGE = 100

/** The sections that every plan has, before and after it was applied. */
export const SECTION_LABELS: Record<
  'create' | 'change' | 'error' | 'skip',
  [ahead: Sentence, done: Sentence]
> = {
  create: [sentence`To add`, sentence`Added`],
  change: [sentence`To change`, sentence`Changed`],
  error: [sentence`Errors`, sentence`Errors`],
  skip: [sentence`Skipped`, sentence`Skipped`],
}
export const EMPTY_SECTIONS = {
  change: sentence`No changes.`,
  error: sentence`No errors.`,
  skip: sentence`No rows skipped.`,
}

type Section<Name extends string> = { name: Name; label: string; count: number }

/** What differs from list to list. */
type Plan<Name extends string> = {
  planId: string
  /** The page of the plan. */
  path: string
  sections: Array<Section<Name>>
  section: Name
  columns: Column<ImportPlanRow>[]
  empty: string
}

type PlanCall = Call<unknown, { page: number }>

/** One section of a plan, with tabs that lead to the others. */
export async function showSection<Name extends ImportPlanSection>(
  call: PlanCall,
  { planId, path, sections, section, columns, empty }: Plan<Name>,
): Promise<Html> {
  const { page } = call.query
  const offset = (page - 1) * ROWS_PER_PAGE
  const rows = await listImportPlanRows(call.services.primary, planId, {
    section,
    offset,
    limit: ROWS_PER_PAGE,
  })
  const { label = '', count: total = 0 } = sections.find(({ name }) => name === section) ?? {}
  const range = formatRange({ page, rowsPerPage: ROWS_PER_PAGE, shown: rows.length, total })
  return html`${sectionTabs(call, sections, section)}
${section === 'error' && total > 0 && errorDownloads(call, path)}
${table(label, columns, rows, page > 1 ? beyondLast(call, page) : empty)}
${pager(call, { page, hasMore: total > page * ROWS_PER_PAGE, range })}`
}

function sectionTabs<Name extends string>(
  call: PlanCall,
  sections: Array<Section<Name>>,
  current: Name,
): Html {
  const items = sections.map(({ name, label, count }) => ({
    label,
    count,
    address: call.linkHere({ show: name, page: null }),
    isCurrent: name === current,
  }))
  return tabs(t`Import plan`, items)
}

/** `path`: of the page of the plan. Where it is applied the rows are those of the plan that was. */
function errorDownloads(call: PlanCall, path: string): Html {
  const file = (format: string) =>
    showLinkOrText(call.link(path, { _download: format }), format, { download: true })
  return html`<p>${tHtml`Download these rows with their errors: ${file('csv')}, ${file('xlsx')}. Fix them in the file and import it again.`}</p>`
}

/** How a field is called, and how its values are shown. */
export type ShownFields = { nameOf(field: string): string; show(field: string, value: unknown): Content }

type Changes = ImportPlanRow['changes']

export function showChanges(changes: Changes, { nameOf, show }: ShownFields): Html {
  const items = Object.entries(changes ?? {}).map(
    ([field, [before, after]]) =>
      html`<li><b>${nameOf(field)}:</b> <del>${show(field, before)}</del> → <ins>${show(field, after)}</ins></li>`,
  )
  return html`<ul class="changes">${items}</ul>`
}

/** Of what is new only what is not in the `other` columns. */
export function showNewValues(changes: Changes, { nameOf, show }: ShownFields, other: string[]): Html {
  const items = Object.entries(changes ?? {})
    .filter(([field]) => !other.includes(field))
    .map(([field, [, after]]) => html`<li><b>${nameOf(field)}:</b> ${show(field, after)}</li>`)
  return html`<ul class="changes">${items}</ul>`
}

export function showErrors(
  { errors, rowNumber }: Pick<ImportPlanRow, 'errors' | 'rowNumber'>,
  nameOf: (column: string) => string,
): Html {
  const items = Object.entries(errors ?? {}).flatMap(([column, rules]) =>
    rules.map((rule) => {
      const problem = formatMessage(describeRowError(rowNumber ?? 0, rule))
      return html`<li><span class="badge bad">${nameOf(column)}</span> ${problem}</li>`
    }),
  )
  return html`<ul class="changes">${items}</ul>`
}

export function formatValue(value: unknown): Content {
  if (value === true) return t`yes`
  if (value === false) return t`no`
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : t`none`
  return value === null || value === '' ? t`empty` : String(value)
}
