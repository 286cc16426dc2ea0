// An import plan of desks, rooms and parking, section by section: what is added, changed, refused and skipped.
import type { BookableImportCounts } from '../../../../shared/contracts/places/bookable-imports.ts'
import type { Html } from '../../../http/html.ts'
import type { Call } from '../../framework/page.ts'
import type { ImportPlanRow } from '../../imports/queries.ts'
import {
  EMPTY_SECTIONS,
  formatValue,
  SECTION_LABELS,
  type ShownFields,
  showChanges,
  showErrors,
  showNewValues,
  showSection,
} from '../../imports/shown-rows.ts'
import { type Sentence, sentence, t, translate } from '../../language/translate.ts'
import { formatBookableType, showBookableStatus } from '../../ui/bookables.ts'
import { showLinkOrText } from '../../ui/links.ts'
import type { Column } from '../../ui/tables.ts'
import { formatNumber } from '../../ui/words.ts'
import { BOOKABLE_PLAN_SECTIONS, type BookablePlanSection } from './queries.ts'

type Query = { show?: BookablePlanSection | undefined; page: number }
type PlanView = { planId: string; counts: BookableImportCounts; isApplied: boolean }

const EMPTY: Record<BookablePlanSection, Sentence> = {
  ...EMPTY_SECTIONS,
  create: sentence`Nothing new.`,
}
const FIELDS: Record<string, Sentence> = {
  name: sentence`Name`,
  type: sentence`Type`,
  description: sentence`Description`,
  tags: sentence`Tags`,
  status: sentence`Status`,
  capacity: sentence`Capacity`,
  requires_vehicle: sentence`Bookings require a vehicle`,
  position: sentence`Position`,
}

/** Errors first where there are any: they are what somebody has to do something about. */
export async function showImportPlan(
  call: Call<unknown, Query>,
  { planId, counts, isApplied }: PlanView,
): Promise<Html> {
  const first = BOOKABLE_PLAN_SECTIONS.find((each) => counts[each] > 0) ?? 'skip'
  const section = call.query.show ?? (counts.error > 0 ? 'error' : first)
  const sections = BOOKABLE_PLAN_SECTIONS.map((name) => ({
    name,
    label: labelOf(name, isApplied),
    count: counts[name],
  }))
  const columns = columnsOf(call, section)
  const empty = translate(EMPTY[section])
  return showSection(call, { planId, path: `/places/imports/${planId}`, sections, section, columns, empty })
}

const labelOf = (section: BookablePlanSection, isApplied: boolean) =>
  translate(SECTION_LABELS[section][isApplied ? 1 : 0])

function columnsOf(call: Call, section: BookablePlanSection): Column<ImportPlanRow>[] {
  const row: Column<ImportPlanRow> = { label: t`Row`, isNumber: true, show: ({ rowNumber }) => rowNumber }
  const name: Column<ImportPlanRow> = {
    label: t`Name`,
    isHead: true,
    show: ({ bookableId, name }) => {
      const shown = name ?? t`no name`
      return bookableId === null ? shown : showLinkOrText(call.link(`/places/bookables/${bookableId}`), shown)
    },
  }
  const columns: Record<BookablePlanSection, Column<ImportPlanRow>[]> = {
    create: [
      row,
      name,
      { label: t`Details`, show: ({ changes }) => showNewValues(inOrder(changes), SHOWN, ['name']) },
    ],
    change: [row, name, { label: t`Changes`, show: ({ changes }) => showChanges(inOrder(changes), SHOWN) }],
    error: [row, name, { label: t`Errors`, show: (row) => showErrors(row, SHOWN.nameOf) }],
    skip: [row, name, { label: t`Reason`, show: () => t`No changes` }],
  }
  return columns[section]
}

const SHOWN: ShownFields = {
  nameOf(field) {
    const known = FIELDS[field]
    return known === undefined ? field : translate(known)
  },
  show(field, value) {
    if (field === 'type' && typeof value === 'number') return formatBookableType(value)
    if (field === 'status' && typeof value === 'number') return showBookableStatus(value)
    if (field === 'position' && Array.isArray(value)) return value.map(formatPercent).join(', ')
    return typeof value === 'number' ? formatNumber(value) : formatValue(value)
  },
}

const formatPercent = (share: unknown): string =>
  `${formatNumber(Math.round(Number(share) * 10_000) / 100)} %`

// The database has an order of its own.
function inOrder(changes: ImportPlanRow['changes']): ImportPlanRow['changes'] {
  const places = Object.keys(FIELDS)
  const fields = Object.entries(changes ?? {})
  return Object.fromEntries(fields.sort(([a], [b]) => places.indexOf(a) - places.indexOf(b)))
}
