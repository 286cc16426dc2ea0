// The form field for the approvers of a place: people and groups by name, one per line.
import type pg from 'pg'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import type { Rules } from '../../../../shared/rules/rules.ts'
import { t } from '../../locales/translate.ts'
import { findNamedPeople, formatNamedPerson, showNamedPeopleField } from '../../pages/search/named-people.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { findGroupIds, findRuleNames, type RuleNames } from './queries.ts'

type Approvers = NonNullable<Rules['approvers']>

export const formatApprovers = ({ user_ids = [], group_ids = [] }: Approvers, names: RuleNames): string =>
  [
    ...user_ids.map((id) => names.people.get(id)?.name ?? t`person ${id}`),
    ...group_ids.map((id) => names.groups.get(id) ?? t`group ${id}`),
  ].join(', ')

const listEntries = ({ user_ids = [], group_ids = [] }: Approvers, { people, groups }: RuleNames) => [
  ...user_ids.map((id) => {
    const person = people.get(id)
    return person ? formatNamedPerson(person) : t`person ${id}`
  }),
  ...group_ids.map((id) => groups.get(id) ?? t`group ${id}`),
]

export const showApprovers = (fields: Fields, approvers: Approvers | null | undefined, names: RuleNames) =>
  showNamedPeopleField(
    fields.area('approvers', t`Approvers`, {
      hint: t`Everybody else sends a request, which one of these approvers decides. Enter names of people or groups, one per line.`,
      value: approvers ? listEntries(approvers, names).join('\n') : '',
    }),
  )

/**
 * Parses the approvers. A line that the form shows for a present approver keeps that approver, even if deactivated. Any
 * other line is the name of a group, or names an active person.
 */
export async function parseApprovers(
  reads: pg.Pool,
  typed: string[],
  present: Approvers | null | undefined,
): Promise<Approvers> {
  const kept = present ? await findShownIds(reads, present) : new Map<string, number>()
  const added = typed.filter((each) => !kept.has(each))
  const groups = await findGroupIds(reads, typed)
  const { people, problems } = await findNamedPeople(
    reads,
    added.filter((each) => !groups.has(each)),
  )
  if (problems.length > 0) throw invalidFields({ approvers: problems })
  const user_ids = [...typed.flatMap((each) => kept.get(each) ?? []), ...people.map(({ id }) => id)]
  return {
    user_ids: [...new Set(user_ids)],
    group_ids: typed.flatMap((each) => (kept.has(each) ? [] : (groups.get(each) ?? []))),
  }
}

/** Finds the people by the lines that the form shows for them. */
async function findShownIds(reads: pg.Pool, { user_ids = [] }: Approvers): Promise<Map<string, number>> {
  const names = await findRuleNames(reads, { approvers: { user_ids } })
  const lines = listEntries({ user_ids }, names)
  return new Map(user_ids.map((id, index) => [lines[index] ?? '', id]))
}
