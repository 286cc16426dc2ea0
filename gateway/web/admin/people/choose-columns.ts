// The step of a people import that asks what each column of the file contains. By default, it shows the
// columns that were chosen for the last file with the same headings, or else a guess.
import { createHeadingsKey, guessColumns, guessHeadingRow } from '../../../../shared/imports/guess-columns.ts'
import {
  COLUMNS_SHOWN,
  FILE_COLUMNS,
  type FilePreview,
  type Layout,
  SHEETS_SHOWN,
} from '../../../../shared/imports/layouts.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { integer, object, queryNumber, required } from '../../../../shared/schemas/fields.ts'
import { fileColumnInput } from '../../../../shared/users/import-layout.ts'
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { type Column, showLink, showTable } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import type { ColumnChoice, PlanCall } from '../imports/import-list.ts'
import { findColumnLayouts } from '../imports/queries.ts'

type PreviewRow = FilePreview[number]['rows'][number]

const formatFieldName = (place: number) => `column_${place}`
const SHOWN_EXAMPLES_MAX = 2

const COLUMN_LABELS: Record<(typeof FILE_COLUMNS)[number], Sentence> = {
  name: sentence`Name`,
  first_name: sentence`First name`,
  last_name: sentence`Last name`,
  email: sentence`E-mail`,
  groups: sentence`Groups (department)`,
  license_plates: sentence`License plates`,
  upn: sentence`Sign-in name (UPN)`,
  id: sentence`ID`,
}
/** The fields that several columns of a file may fill. */
const REPEATABLE_COLUMNS = ['', 'groups', 'license_plates']

const columnsForm = object({
  sheet: required(queryNumber(integer({ min: 0, max: SHEETS_SHOWN - 1 }))),
  heading_row: required(queryNumber(integer({ min: 1, max: 1_048_576 }))),
  ...Object.fromEntries(
    Array.from({ length: COLUMNS_SHOWN }, (_, place) => [formatFieldName(place), fileColumnInput()]),
  ),
})
type ColumnsForm = { sheet: number; heading_row: number } & Record<string, string | number | undefined>

export const userColumnChoice: ColumnChoice<InputOf<'users.plan-import'>> = {
  form: columnsForm,
  inputOf: ({ input }, preview, sent) => ({ ...input, layout: readLayout(preview, sent as ColumnsForm) }),
  async show(call, preview, cancel) {
    const { sheet, heading, columns } = await findInitialChoices(call, preview)
    const rows = preview[sheet]?.rows ?? []
    return html`${preview.length > 1 && showSheets(call, preview, sheet)}
${heading ? showForm(call, { rows, heading, columns, sheet, cancel }) : showEmptyState(t`This sheet is empty.`)}
${showRows(call, rows, heading)}`
  },
}

function readLayout(preview: FilePreview, { sheet, heading_row, ...sent }: ColumnsForm): Layout {
  const headings = preview[sheet]?.rows.find(({ number }) => number === heading_row)?.cells
  if (!headings) throw invalidFields({ heading_row: [message`The file does not have this row.`] })
  const columns = headings.map(
    (_, place) => String(sent[formatFieldName(place)] ?? '') as Layout['columns'][number],
  )
  const errors = Object.fromEntries(
    columns.flatMap((column, place) => {
      const problem = findProblem(columns, column, place)
      return problem ? [[formatFieldName(place), [problem]]] : []
    }),
  )
  if (!columns.includes('email'))
    errors['columns'] = [message`Choose the column that has the e-mail addresses.`]
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
  return { sheet, heading_row, columns, key: createHeadingsKey(headings) }
}

function findProblem(columns: Layout['columns'], column: string, place: number): Message | undefined {
  if (column === 'name' && (columns.includes('first_name') || columns.includes('last_name')))
    return message`Choose either the name, or first name and last name.`
  const isRepeated = !REPEATABLE_COLUMNS.includes(column) && columns.indexOf(column as 'name') < place
  return isRepeated ? message`Another column already has this role.` : undefined
}

/** Finds the sheet, its headings and their columns. Takes them from the address, or else from the last file
 * with the same headings, or else guesses them. */
async function findInitialChoices({ query, services }: PlanCall, preview: FilePreview) {
  const keys = preview.flatMap(({ rows }) => rows.map(({ cells }) => createHeadingsKey(cells)))
  const known = await findColumnLayouts(services.primary, keys)
  const layoutOf = (row: PreviewRow) => known.get(createHeadingsKey(row.cells))
  const isFilled = ({ rows }: FilePreview[number]) => rows.length > 1
  const familiar = preview.findIndex(({ rows }) => rows.some(layoutOf))
  const sheet = query.sheet ?? (familiar < 0 ? Math.max(0, preview.findIndex(isFilled)) : familiar)
  const rows = preview[sheet]?.rows ?? []
  const heading =
    rows.find(({ number }) => number === query.heading_row) ??
    rows.find(layoutOf) ??
    rows[guessHeadingRow(rows.map(({ cells }) => cells))]
  const columns = heading ? (layoutOf(heading) ?? guessColumns(heading.cells)) : []
  return { sheet, heading, columns }
}

type InitialChoices = {
  rows: PreviewRow[]
  heading: PreviewRow
  columns: Array<string | undefined>
  sheet: number
  cancel: string
}

function showForm(call: PlanCall, { rows, heading, columns, sheet, cancel }: InitialChoices): Html {
  const below = rows.filter(({ number }) => number > heading.number)
  const show = (fields: Fields) =>
    heading.cells.map((cell, place) => {
      const values = below
        .map(({ cells }) => cells[place])
        .filter((value) => value !== undefined && value !== '')
      if (cell === '' && values.length === 0) return null
      const examples = [...new Set(values)].slice(0, SHOWN_EXAMPLES_MAX).join(', ')
      return fields.select(formatFieldName(place), cell || t`Column ${place + 1}`, {
        any: t`Leave out`,
        options: listOptions(columns[place]),
        value: columns[place] ?? '',
        emptyWhen: '',
        ...(examples && { hint: examples }),
      })
    })
  const hidden = { sheet, heading_row: heading.number }
  return html`<div class="card"><h2>${t`Columns`}</h2>
<p class="soft">${t`Choose what each column of the file contains. Berth remembers your choices for files with the same headings.`}</p>
${form(call, { action: 'columns', submit: t`Review`, cancel, hidden }, (fields) => html`<div class="grid">${show(fields)}</div>`)}</div>`
}

/** Lists what a column may contain. Offers an attribute only if the column's heading names it. */
const listOptions = (column: string | undefined) => [
  ...FILE_COLUMNS.map((value) => ({ value, label: translate(COLUMN_LABELS[value]) })),
  ...(column?.startsWith('extensionAttribute') ? [{ value: column, label: column }] : []),
]

function showSheets(call: PlanCall, preview: FilePreview, current: number): Html {
  const items = preview.map(({ name }, sheet) => ({
    label: name || t`Sheet ${sheet + 1}`,
    address: call.linkHere({ sheet, heading_row: null }),
    isCurrent: sheet === current,
  }))
  return showTabs(t`Sheets`, items)
}

function showRows(call: PlanCall, rows: PreviewRow[], heading: PreviewRow | undefined): Html {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const columns: Column<PreviewRow>[] = [
    { label: t`Row`, isNumber: true, show: ({ number }) => number },
    ...Array.from({ length: width }, (_, place) => ({
      label: heading?.cells[place] || t`Column ${place + 1}`,
      show: ({ cells }: PreviewRow) => cells[place],
    })),
    {
      label: t`Headings`,
      isTools: true,
      show: (row) =>
        row === heading
          ? html`<span class="badge accent">${t`Headings`}</span>`
          : showLink(call.linkHere({ heading_row: row.number }), t`Use as headings`),
    },
  ]
  return html`<section aria-labelledby="rows"><h2 id="rows">${t`First rows of the file`}</h2>
${showTable(t`First rows of the file`, columns, rows, t`This sheet is empty.`)}</section>`
}
