// The people whom a user invites to a meeting. The user types all of them into one field: colleagues by name,
// unless they hide from the user, and guests by e-mail address. If several colleagues match a name, the form
// asks below the field which one is meant, and keeps everything else that the user entered.
import type pg from 'pg'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { list, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import type { Call, RefusedForm } from '../../pages/page/page.ts'
import { parseTypedEmail } from '../../pages/page/typed-email.ts'
import { CHOICES_MAX, searchColleagues, type UserChoice } from '../../pages/search/choices.ts'
import type { Fields } from '../../pages/ui/fields.ts'

const TYPED_LENGTH_MAX = 4_000
const INVITED_PEOPLE_MAX = 50

/** `chosen` has the ids of the colleagues whom the user chose among several who match a name. */
export const peopleFields = {
  people: text({ max: TYPED_LENGTH_MAX }),
  chosen: list(required(queryId()), { max: INVITED_PEOPLE_MAX }),
}
export type TypedPeople = { people?: string | undefined; chosen?: number[] | undefined }

/** `id` is null for a guest. `name` is null for a guest whose name the user did not enter. */
export type Invitee = { id: number | null; email: string; name: string | null }

/** A name that the user entered and that matches several colleagues. */
export type AmbiguousName = { name: string; found: UserChoice[] }

type TypedEntry = { email: string; name: string | null } | { words: string }

/** Commas, semicolons and line breaks separate the people. A name in quotes may contain them. */
const ENTRY_PATTERN = /(?:"[^"]*"|[^,;\n"])+/g
const NAME_WITH_ADDRESS_PATTERN = /^"?([^"<>]*?)"?\s*<([^<>]+)>$/

function parsePeople(typed: string): TypedEntry[] {
  return (typed.match(ENTRY_PATTERN) ?? []).flatMap((part): TypedEntry[] => {
    const entry = part.trim()
    if (entry === '') return []
    const [, name = '', address = ''] = NAME_WITH_ADDRESS_PATTERN.exec(entry) ?? []
    const email = parseTypedEmail(address.trim())
    if (email !== undefined) return [{ email, name: name.trim() || null }]
    const words = entry.split(/\s+/)
    const emails = words.flatMap((word) => parseTypedEmail(word) ?? [])
    return emails.length === words.length
      ? emails.map((each) => ({ email: each, name: null }))
      : [{ words: entry }]
  })
}

type FoundPeople = { invited: Invitee[]; ambiguous: AmbiguousName[]; problems: Message[] }

async function findPeople(reads: pg.Pool, { people = '', chosen = [] }: TypedPeople): Promise<FoundPeople> {
  const entries = parsePeople(people)
  if (entries.length > INVITED_PEOPLE_MAX)
    return {
      invited: [],
      ambiguous: [],
      problems: [message`Invite at most ${INVITED_PEOPLE_MAX} people at once.`],
    }
  const names = [...new Set(entries.flatMap((entry) => ('words' in entry ? entry.words : [])))]
  const [addressed, named] = await Promise.all([
    findByEmail(
      reads,
      entries.flatMap((entry) => ('email' in entry ? entry : [])),
    ),
    findByNames(reads, names),
  ])
  const ambiguous = named.filter(({ found }) => found.length > 1)
  const meant = named.flatMap(({ found }) =>
    found.length > 1 ? found.filter(({ id }) => chosen.includes(id)) : found,
  )
  const isOpen = ({ found }: AmbiguousName) => !found.some(({ id }) => chosen.includes(id))
  const invited = [...addressed, ...meant.map(({ id, email, name }) => ({ id, email, name }))]
  return {
    invited: [...new Map(invited.map((each) => [each.email.toLowerCase(), each])).values()],
    ambiguous,
    problems: [
      ...named
        .filter(({ found }) => found.length === 0)
        .map(
          ({ name }) =>
            message`Nobody found with the name ${name}. To invite a guest, enter an e-mail address, such as Grace Hopper <grace@example.com>.`,
        ),
      ...ambiguous
        .filter(isOpen)
        .map(({ name }) => message`Several colleagues match ${name}. Choose below who you mean.`),
    ],
  }
}

/** Finds, for each name, the only colleague with exactly this name, or else all who match all words of the name. */
async function findByNames(reads: pg.Pool, names: string[]): Promise<AmbiguousName[]> {
  const every = await searchColleagues(reads, names)
  return names.map((name, index) => {
    const found = every[index] ?? []
    const exact = found.filter((each) => each.name.toLowerCase() === name.toLowerCase())
    return { name, found: exact.length === 1 ? exact : found }
  })
}

async function findByEmail(
  reads: pg.Pool,
  asked: Array<{ email: string; name: string | null }>,
): Promise<Invitee[]> {
  if (asked.length === 0) return []
  const columns = {
    id: rows.nullableColumn(rows.numberColumn('users.id')),
    email: rows.textColumn('coalesce(users.email, asked.email)'),
    name: rows.nullableColumn(rows.textColumn('coalesce(users.name, asked.name)')),
  }
  const from = `unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (email, name, ordinal)
    LEFT JOIN colleagues AS users ON lower(users.email) = lower(asked.email) ORDER BY ordinal`
  return rows.selectRows(reads, columns, from, [
    asked.map(({ email }) => email),
    asked.map(({ name }) => name),
  ])
}

/** Refuses names that match no colleague, and names that match several colleagues if the user has chosen none
 * of them. */
export async function requirePeople({ reads }: Call, typed: TypedPeople): Promise<Invitee[]> {
  const { invited, problems } = await findPeople(reads, typed)
  if (problems.length > 0) throw invalidFields({ people: problems })
  return invited
}

/** Finds the only colleague whom the typed name or e-mail address means. People who hide are unknown here. */
export async function requireColleague(
  { reads }: Call,
  typed: string,
): Promise<{ id: number; name: string }> {
  const { invited, ambiguous, problems } = await findPeople(reads, { people: typed })
  const [found, ...more] = invited
  if (ambiguous.length > 0)
    throw invalidFields({
      colleague: [message`Several colleagues match ${typed}. Enter the e-mail address.`],
    })
  if (more.length > 0) throw invalidFields({ colleague: [message`Enter one colleague at a time.`] })
  if (problems.length > 0 || !found?.id)
    throw invalidFields({
      colleague: [message`No colleague found with the name or e-mail address ${typed}.`],
    })
  return { id: found.id, name: found.name ?? found.email }
}

/** Lists the names in a refused form that match several colleagues. */
export async function listAmbiguousNames(
  { reads }: Call,
  refused: RefusedForm | undefined,
): Promise<AmbiguousName[]> {
  const people = refused?.values['people']?.[0]
  return people ? (await findPeople(reads, { people })).ambiguous : []
}

/** Shows the field, and below it the colleagues to choose from if several match a name. */
export function showPeopleField(fields: Fields, label: string, ambiguous: AmbiguousName[]): Html {
  const options = ambiguous.flatMap(({ found }) =>
    found.slice(0, CHOICES_MAX).map(({ id, name, email }) => ({ value: id, label: name, hint: email })),
  )
  const hasMore = ambiguous.some(({ found }) => found.length > CHOICES_MAX)
  return html`${fields.area('people', label, {
    rows: 2,
    hint: t`Names of colleagues, or e-mail addresses of guests, such as Grace Hopper <grace@example.com>. Separate them with commas or line breaks.`,
  })}
${options.length > 0 && fields.checkboxes('chosen', t`Who do you mean?`, { options })}
${hasMore && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}`
}

/** Formats people as text for the field, with their e-mail addresses, so that no name is ambiguous. */
export const formatPeople = (invited: Invitee[]): string =>
  invited
    .map(({ email, name }) => (name === null ? email : `"${name.replaceAll('"', '')}" <${email}>`))
    .join(', ')

export const toAttendees = (invited: Invitee[]): NonNullable<InputOf<'events.create'>['attendees']> =>
  invited.map(({ id, email, name }) =>
    id === null ? { type: 'visitor', email, name } : { type: 'user', email },
  )

/** The title of a meeting if its organizer does not enter one. */
export const formatDefaultTitle = (call: Call) => t`Meeting of ${call.requirePerson().name}`
