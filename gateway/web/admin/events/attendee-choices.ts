// The people and rooms of an event while a user edits it: what the event already has and, in the page's
// address, what the user added and removed, with searches for more. With the choices in the address, each
// step of choosing is a page, which needs no scripts and stores nothing.
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { text } from '../../../../shared/schemas/fields.ts'
import { isEmail, isPlainText } from '../../../../shared/utilities/texts.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call, PageRedirect } from '../../pages/page/page.ts'
import { parseTypedEmail } from '../../pages/page/typed-email.ts'
import {
  type BookableChoice,
  findBookables,
  findUsers,
  searchUsers,
  showFoundUsers,
  showOption,
  showUserChooser,
  type UserChoice,
} from '../../pages/search/choices.ts'
import { showSearchForm } from '../../pages/ui/forms.ts'
import { showLink } from '../../pages/ui/parts.ts'

type AttendeeQuery = SelectionQuery & { person?: string | undefined; visitor?: string | undefined }
type AttendeeChoiceCall = Call<unknown, AttendeeQuery>

export type AttendeeChoices = { users: UserChoice[]; rooms: BookableChoice[]; visitors: string[] }

export async function findAttendeeChoices(
  { reads, query }: AttendeeChoiceCall,
  base: AttendeeSelection,
): Promise<AttendeeChoices> {
  const { users, rooms, visitors } = applySelection(base, query)
  const [people, places] = await Promise.all([findUsers(reads, users), findBookables(reads, rooms)])
  return { users: people, rooms: places, visitors }
}

/** Adds a typed visitor's e-mail to the chosen people, by redirecting to an address that includes it. */
export function redirectWithVisitor(call: AttendeeChoiceCall): PageRedirect | undefined {
  const { visitor } = call.query
  const address = visitor === undefined ? undefined : parseTypedEmail(visitor)
  if (address === undefined) return undefined
  const add = encodeChoice('visitors', address)
  return { redirectTo: call.linkHere({ ...updateSelection(call.query, { add }), visitor: null }) }
}

/** Shows a search for people that works without scripts: a form that shows the results in its own list. */
export async function showPeopleSearch(call: AttendeeChoiceCall, { users }: AttendeeChoices): Promise<Html> {
  const { visitor } = call.query
  const isChosen = (id: number) => users.some((each) => each.id === id)
  return html`<div data-find-people>${await showUserChooser(call, {
    label: t`Find people`,
    linkText: t`Add`,
    addressOf: ({ id }) =>
      isChosen(id)
        ? undefined
        : call.linkHere(updateSelection(call.query, { add: encodeChoice('users', id) })),
  })}</div>
<div class="found" data-visitor>${showSearchForm(call, t`Add visitor`, (fields) =>
    fields.text('visitor', t`Visitor e-mail`, {
      hint: visitor === undefined ? undefined : t`This is not a valid e-mail address.`,
      required: true,
      maxlength: 255,
    }),
  )}</div>`
}

/** Shows the suggestions that a script displays below the field as the user types: people, or a visitor for
 * an e-mail address. */
export async function showFoundPeople(
  { reads, query }: AttendeeChoiceCall,
  base: AttendeeSelection,
): Promise<Html> {
  const { person } = query
  if (person === undefined) return html``
  const chosen = applySelection(base, query)
  const found = await searchUsers(reads, parseTypedEmail(person) ?? person)
  const others = found.filter(({ id }) => !chosen.users.includes(id))
  const address = parseTypedEmail(person)
  const isKnown = found.some(({ email }) => email.toLowerCase() === address?.toLowerCase())
  const visitor = address !== undefined && !isKnown && !chosen.visitors.includes(address) ? [address] : []
  return showFoundUsers(
    others,
    ({ id }) => ({ 'data-add': encodeChoice('users', id) }),
    visitor.map((each) =>
      showOption(each, t`visitor`, { id: 'found-visitor', 'data-add': encodeChoice('visitors', each) }),
    ),
  )
}

/** `names` maps the e-mail addresses of the event's visitors to their names. */
export function showChosenPeople(
  call: AttendeeChoiceCall,
  { users, visitors }: AttendeeChoices,
  names: ReadonlyMap<string, string>,
): Content {
  if (users.length + visitors.length === 0) {
    return html`<p class="soft">${t`No people yet. Add at least one: every meeting needs an organizer.`}</p>`
  }
  const items = [
    ...users.map(({ id, name, email, isActive }) =>
      showChip(
        call,
        { code: encodeChoice('users', id), name },
        html`${name} <small>${email}</small>${
          !isActive && html` <span class="badge warn">${t`deactivated, will be removed when you save`}</span>`
        }`,
      ),
    ),
    ...visitors.map((email) => {
      const name = names.get(email)
      return showChip(
        call,
        { code: encodeChoice('visitors', email), name: name ?? email },
        html`${name === undefined ? email : html`${name} <small>${email}</small>`} <span class="badge">${t`visitor`}</span>`,
      )
    }),
  ]
  return html`<ul class="chips" aria-label="${t`People`}">${items}</ul>`
}

function showChip(call: AttendeeChoiceCall, choice: { code: string; name: string }, content: Html): Html {
  return html`<li class="chip"><span>${content}</span> ${showChoiceLink(call, 'drop', choice)}</li>`
}

export type AttendeeSelection = { users: number[]; rooms: number[]; visitors: string[] }
type ChoiceKind = keyof AttendeeSelection
export type SelectionQuery = { add?: string | undefined; drop?: string | undefined }

// The maximum length of the choices in an address, because servers limit the length of addresses. A user who
// adds more has to save in between.
const CHOICES_LENGTH_MAX = 4_000

export const selectionQuery = {
  add: text({ max: CHOICES_LENGTH_MAX }),
  drop: text({ max: CHOICES_LENGTH_MAX }),
}

const KIND_PREFIXES: Record<ChoiceKind, string> = { users: 'u', rooms: 'r', visitors: 'v' }

function applySelection(base: AttendeeSelection, { add, drop }: SelectionQuery): AttendeeSelection {
  const [added, dropped] = [splitCodes(add), new Set(splitCodes(drop))]
  const merged = (kind: ChoiceKind) => {
    const codes = [
      ...base[kind].map((each) => encodeChoice(kind, each)),
      ...added.filter((code) => hasKindPrefix(kind, code)),
    ]
    return [...new Set(codes)].filter((code) => !dropped.has(code)).map((code) => code.slice(1))
  }
  return {
    users: merged('users').map(Number),
    rooms: merged('rooms').map(Number),
    visitors: merged('visitors'),
  }
}

/** Returns the parameters of the address after adding one choice, removing one, or swapping one for another. */
export function updateSelection(
  query: SelectionQuery,
  { add, drop }: SelectionQuery,
): { add: string; drop: string } {
  const [added, dropped] = [new Set(splitCodes(query.add)), new Set(splitCodes(query.drop))]
  // People and rooms that the event already has can only be in `dropped`, never in `added`.
  if (drop !== undefined && !added.delete(drop)) dropped.add(drop)
  if (add !== undefined && !dropped.delete(add)) added.add(add)
  return { add: [...added].join(), drop: [...dropped].join() }
}

type ChoiceLinkCall = Pick<Call<unknown, SelectionQuery>, 'linkHere' | 'query'>
type ChoiceToLink = { code: string; name: string; id?: string }

/** Links to the page with one more or one fewer choice. A script handles the link without leaving the page. */
export function showChoiceLink(
  call: ChoiceLinkCall,
  change: 'add' | 'drop',
  { code, name, id }: ChoiceToLink,
): Content {
  const [text, label] = change === 'add' ? [t`Add`, t`Add ${name}`] : [t`Remove`, t`Remove ${name}`]
  const address = call.linkHere(updateSelection(call.query, { [change]: code }))
  return showLink(address, text, { id, [`data-${change}`]: code, 'data-name': name, 'aria-label': label })
}

export function listAttendees({
  users,
  rooms,
  visitors,
}: AttendeeSelection): InputOf<'events.create'>['attendees'] {
  return [
    ...users.map((id) => ({ type: 'user' as const, id })),
    ...rooms.map((id) => ({ type: 'bookable' as const, id })),
    ...visitors.map((email) => ({ type: 'visitor' as const, email })),
  ]
}

export const encodeChoice = (kind: ChoiceKind, chosen: number | string): string =>
  `${KIND_PREFIXES[kind]}${chosen}`

// Parses the choices in an address. Ignores all other values, because users can edit the address.
function splitCodes(codes: string | undefined): string[] {
  return (codes ?? '')
    .split(',')
    .filter(
      (code) =>
        hasKindPrefix('users', code) || hasKindPrefix('rooms', code) || hasKindPrefix('visitors', code),
    )
}

function hasKindPrefix(kind: ChoiceKind, code: string): boolean {
  const rest = code.slice(1)
  if (!code.startsWith(KIND_PREFIXES[kind])) return false
  return kind === 'visitors' ? isEmail(rest) && isPlainText(rest) : /^[1-9]\d{0,14}$/.test(rest)
}
