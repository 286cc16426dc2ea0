// Finds active people whom an administrator names in a form: by name, by e-mail, or as “Name <e-mail>”, which forms show for
// people who are already chosen. A script suggests people while the administrator types (browser/named-people.ts).
import type pg from 'pg'
import { listNames, type Message, message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { selectRows } from '../../../reads/rows/rows.ts'
import { CHOICES_MAX, searchUsers, showFoundUsers, USER_CHOICE_COLUMNS, type UserChoice } from './choices.ts'

const ENTRY_PATTERN = /<([^<>]+)>\s*$/
const TRAILING_SEPARATORS = /[\s,;]+$/
const NAMED_MAX = 3
const NAME_AND_EMAIL_LENGTH_MAX = 520

export const namedPerson = () => text({ max: NAME_AND_EMAIL_LENGTH_MAX })

type NamedPerson = Pick<UserChoice, 'name' | 'email'>
export const formatNamedPerson = ({ name, email }: NamedPerson): string => `${name} <${email}>`

/** Finds a person for each text. Returns the people found, and what is wrong with the other texts. */
export async function findNamedPeople(
  reads: pg.Pool,
  typed: string[],
): Promise<{ people: UserChoice[]; problems: Message[] }> {
  const people: UserChoice[] = []
  const problems: Message[] = []
  for (const each of typed) {
    const found = await findNamedPerson(reads, each)
    if ('problem' in found) problems.push(found.problem)
    else if (!people.some(({ id }) => id === found.id)) people.push(found)
  }
  return { people, problems }
}

/** Finds the person whom the text names. Otherwise refuses the form, with an error at this field. */
export async function requireNamedPerson(reads: pg.Pool, typed: string, field: string): Promise<UserChoice> {
  const found = await findNamedPerson(reads, typed)
  if ('problem' in found) throw invalidFields({ [field]: [found.problem] })
  return found
}

async function findNamedPerson(reads: pg.Pool, typed: string): Promise<UserChoice | { problem: Message }> {
  const named = typed.replace(TRAILING_SEPARATORS, '')
  const email = ENTRY_PATTERN.exec(named)?.[1] ?? (/^\S+@\S+$/.test(named) ? named : undefined)
  if (email !== undefined) {
    const active = 'users WHERE lower(users.email) = lower($1) AND users.deactivated_at IS NULL'
    const [found] = await selectRows(reads, USER_CHOICE_COLUMNS, active, [email.trim()])
    return found ?? { problem: message`There is no active person with the e-mail “${email.trim()}”.` }
  }
  const found = await searchUsers(reads, named, { limit: CHOICES_MAX + 1 })
  const exact = found.filter(({ name }) => name.toLowerCase() === named.toLowerCase())
  const [only, ...more] = exact.length === 1 ? exact : found
  if (only === undefined) return { problem: message`There is no active person called “${named}”.` }
  if (more.length === 0) return only
  const names = listNames(found.map(formatNamedPerson), NAMED_MAX)
  return { problem: message`Several people match “${named}”: ${names}. Enter the e-mail of the right one.` }
}

/** Marks a field in which administrators name a person, or one person per line. */
export const showNamedPeopleField = (field: Html): Html => html`<div data-named-people>${field}</div>`

/** Shows the people found while an administrator types in such a field. A script reads the text of the chosen one. */
export async function showNamedPeopleSuggestions(reads: pg.Pool, words: string | undefined): Promise<Html> {
  if (words === undefined) return html``
  return showFoundUsers(await searchUsers(reads, words), (user) => ({
    'data-entry': formatNamedPerson(user),
  }))
}
