// The form field for the approvers of a place: people by e-mail and groups by name, one per line.
import type pg from 'pg'
import { type Message, message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import type { Rules } from '../../../../shared/rules/rules.ts'
import { t } from '../../locales/translate.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { findGroupIds, findUserIds, type RuleNames } from './queries.ts'

type Approvers = NonNullable<Rules['approvers']>

const namesOf = ({ user_ids = [], group_ids = [] }: Approvers, { people, groups }: RuleNames) => [
  ...user_ids.map((id) => people.get(id) ?? t`person ${id}`),
  ...group_ids.map((id) => groups.get(id) ?? t`group ${id}`),
]

export const formatApprovers = (approvers: Approvers, names: RuleNames): string =>
  namesOf(approvers, names).join(', ')

export const showApprovers = (fields: Fields, approvers: Approvers | null | undefined, names: RuleNames) =>
  fields.area('approvers', t`Approvers`, {
    hint: t`Everybody else sends a request, which one of them approves or declines. E-mails of people or names of groups, one per line.`,
    value: approvers ? namesOf(approvers, names).join('\n') : '',
  })

/** An entry with an @ is an e-mail. */
export async function parseApprovers(reads: pg.Pool, typed: string[]): Promise<Approvers> {
  const [emails, names] = [
    typed.filter((line) => line.includes('@')),
    typed.filter((line) => !line.includes('@')),
  ]
  const [people, groups] = await Promise.all([findUserIds(reads, emails), findGroupIds(reads, names)])
  const unknown: Message[] = [
    ...emails
      .filter((each) => !people.has(each.toLowerCase()))
      .map((each) => message`There is no active person with the e-mail “${each}”.`),
    ...names.filter((each) => !groups.has(each)).map((each) => message`There is no group called “${each}”.`),
  ]
  if (unknown.length > 0) throw invalid({ approvers: unknown })
  return {
    user_ids: emails.flatMap((each) => people.get(each.toLowerCase()) ?? []),
    group_ids: names.flatMap((each) => groups.get(each) ?? []),
  }
}
