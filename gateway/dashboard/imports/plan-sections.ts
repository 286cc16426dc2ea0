// An import plan, section by section: who is added, changed, refused, skipped and deactivated.
import type { ImportCounts } from '../../../shared/contracts/users.ts'
import type { Html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { type Sentence, sentence, t, translate } from '../language/translate.ts'
import { showLinkOrText } from '../ui/links.ts'
import type { Column } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { IMPORT_PLAN_SECTIONS, type ImportPlanRow, type ImportPlanSection } from './queries.ts'
import {
  EMPTY_SECTIONS,
  formatValue,
  SECTION_LABELS,
  type ShownFields,
  showChanges,
  showErrors,
  showNewValues,
  showSection,
} from './shown-rows.ts'

type Query = { show?: ImportPlanSection | undefined; page: number }
type ImportPlanView = { planId: string; counts: ImportCounts; isApplied: boolean }

const LABELS: Record<ImportPlanSection, [ahead: Sentence, done: Sentence]> = {
  ...SECTION_LABELS,
  deactivate: [sentence`To deactivate`, sentence`Deactivated`],
}
const EMPTY: Record<ImportPlanSection, Sentence> = {
  ...EMPTY_SECTIONS,
  create: sentence`No new people.`,
  deactivate: sentence`Nobody is deactivated.`,
}
const REASONS = {
  same: sentence`No changes`,
  known: sentence`Already exists, and updating is off`,
  deactivated: sentence`Deactivated, and restoring is off`,
  kept: sentence`A known person, who is not deactivated`,
  unmatched: sentence`No known person`,
}
const FIELDS: Record<string, Sentence> = {
  active: sentence`Active`,
  name: sentence`Name`,
  email: sentence`E-mail`,
  groups: sentence`Groups`,
  license_plates: sentence`License plates`,
}

/** Errors first where there are any: they are what somebody has to do something about. */
export async function showImportPlan(
  call: Call<unknown, Query>,
  { planId, counts, isApplied }: ImportPlanView,
): Promise<Html> {
  const first = IMPORT_PLAN_SECTIONS.find((each) => each !== 'skip' && counts[each] > 0) ?? 'skip'
  const section = call.query.show ?? (counts.error > 0 ? 'error' : first)
  const sections = IMPORT_PLAN_SECTIONS.map((name) => ({
    name,
    label: labelOf(name, isApplied),
    count: counts[name],
  }))
  const columns = columnsOf(call, section, counts.kept + counts.unmatched > 0)
  const empty = translate(EMPTY[section])
  return showSection(call, { planId, path: `/people/imports/${planId}`, sections, section, columns, empty })
}

const labelOf = (section: ImportPlanSection, isApplied: boolean) =>
  translate(LABELS[section][isApplied ? 1 : 0])

function columnsOf(call: Call, section: ImportPlanSection, hasMatches: boolean): Column<ImportPlanRow>[] {
  const row: Column<ImportPlanRow> = { label: t`Row`, isNumber: true, show: ({ rowNumber }) => rowNumber }
  const who: Column<ImportPlanRow> = {
    label: t`Name`,
    isHead: true,
    show: ({ userId, name, email }) => {
      const shown = name ?? email ?? t`no name`
      return userId === null ? shown : showLinkOrText(call.link(`/people/${userId}`), shown)
    },
  }
  const email: Column<ImportPlanRow> = { label: t`E-mail`, show: (each) => each.email }
  const reason = (label: string): Column<ImportPlanRow> => ({
    label,
    show: ({ reason: is }) => is && translate(REASONS[is]),
  })
  const columns: Record<ImportPlanSection, Column<ImportPlanRow>[]> = {
    create: [
      row,
      who,
      email,
      { label: t`Details`, show: ({ changes }) => showNewValues(changes, SHOWN, ['name', 'email']) },
    ],
    change: [row, who, email, { label: t`Changes`, show: ({ changes }) => showChanges(changes, SHOWN) }],
    error: [
      row,
      who,
      { label: t`Errors`, show: (row) => showErrors(row, (column) => column) },
      ...(hasMatches ? [reason(t`Match`)] : []),
    ],
    skip: [row, who, email, reason(t`Reason`)],
    deactivate: [
      who,
      email,
      { label: t`Bookings`, isNumber: true, show: ({ bookings }) => formatNumber(bookings) },
    ],
  }
  return columns[section]
}

/** The attributes have no other name. */
function nameField(field: string): string {
  const known = FIELDS[field]
  return known === undefined ? field : translate(known)
}

const SHOWN: ShownFields = { nameOf: nameField, show: (_field, value) => formatValue(value) }
