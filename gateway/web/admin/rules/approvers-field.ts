// The form field for the approvers of a place: people and groups by name, one per line.
import type pg from 'pg'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import type { Rules } from '../../../../shared/rules/rules.ts'
import { t } from '../../locales/translate.ts'
import { findNamedPeople, formatNamedPerson, showNamedPeopleField } from '../../pages/search/named-people.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { findGroupIds, type RuleNames } from './queries.ts'

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

/** Parses the approvers. An entry that is the name of a group is that group, and any other entry names a person. */
export async function parseApprovers(reads: pg.Pool, typed: string[]): Promise<Approvers> {
  const groups = await findGroupIds(reads, typed)
  const { people, problems } = await findNamedPeople(
    reads,
    typed.filter((each) => !groups.has(each)),
  )
  if (problems.length > 0) throw invalidFields({ approvers: problems })
  return { user_ids: people.map(({ id }) => id), group_ids: typed.flatMap((each) => groups.get(each) ?? []) }
}
