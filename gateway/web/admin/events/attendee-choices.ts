// The people and rooms of an event while a user edits it: what the event already has, and, in the page's address,
// what was added and removed, with searches for more. This makes selecting by search work page after page without
// scripts and without storing anything.
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { text } from '../../../../shared/schemas/fields.ts'
import { isEmail, isPlainText } from '../../../../shared/utilities/texts.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call, Redirect } from '../../pages/page/page.ts'
import { parseTypedEmail } from '../../pages/page/typed-email.ts'
import {
  type BookableChoice,
  findBookables,
  findUsers,
  searchUsers,
  showFoundUsers,
  showOption,
  type UserChoice,
  userChooser,
} from '../../pages/search/choices.ts'
import { searchForm } from '../../pages/ui/forms.ts'
import { showLink } from '../../pages/ui/parts.ts'

type Query = SelectionQuery & { person?: string | undefined; visitor?: string | undefined }
type Choosing = Call<unknown, Query>

export type Choices = { users: UserChoice[]; rooms: BookableChoice[]; visitors: string[] }

export async function findChoices({ reads, query }: Choosing, base: Selection): Promise<Choices> {
  const { users, rooms, visitors } = selectionOf(base, query)
  const [people, places] = await Promise.all([findUsers(reads, users), findBookables(reads, rooms)])
  return { users: people, rooms: places, visitors }
}

/** Adds a typed visitor e-mail to the chosen people by redirecting to an address that includes it. */
export function redirectWithVisitor(call: Choosing): Redirect | undefined {
  const { visitor } = call.query
  const address = visitor === undefined ? undefined : parseTypedEmail(visitor)
  if (address === undefined) return undefined
  const add = encodeChoice('visitors', address)
  return { redirectTo: call.linkHere({ ...updateSelection(call.query, { add }), visitor: null }) }
}

/** Without scripts, a form finds people and shows the results in its own list. */
export async function showPeopleSearch(call: Choosing, { users }: Choices): Promise<Html> {
  const { visitor } = call.query
  const isChosen = (id: number) => users.some((each) => each.id === id)
  return html`<div data-find-people>${await userChooser(call, {
    label: t`Find people`,
    linkText: t`Add`,
    addressOf: ({ id }) =>
      isChosen(id)
        ? undefined
        : call.linkHere(updateSelection(call.query, { add: encodeChoice('users', id) })),
  })}</div>
<div class="found" data-visitor>${searchForm(call, t`Add visitor`, (fields) =>
    fields.text('visitor', t`Visitor e-mail`, {
      hint: visitor === undefined ? undefined : t`This is not a valid e-mail address.`,
      required: true,
      maxlength: 255,
    }),
  )}</div>`
}

/** What a script shows below the field as the user types: people, or a visitor for an e-mail address. */
export async function showFoundPeople({ reads, query }: Choosing, base: Selection): Promise<Html> {
  const { person } = query
  if (person === undefined) return html``
  const chosen = selectionOf(base, query)
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

export function showChosenPeople(call: Choosing, { users, visitors }: Choices): Content {
  if (users.length + visitors.length === 0) {
    return html`<p class="soft">${t`No people yet. Add at least one: every meeting needs an organizer.`}</p>`
  }
  const items = [
    ...users.map(({ id, name, email, isActive }) =>
      chip(
        call,
        { code: encodeChoice('users', id), name },
        html`${name} <small>${email}</small>${
          !isActive && html` <span class="badge warn">${t`deactivated, not included when you save`}</span>`
        }`,
      ),
    ),
    ...visitors.map((email) =>
      chip(
        call,
        { code: encodeChoice('visitors', email), name: email },
        html`${email} <span class="badge">${t`visitor`}</span>`,
      ),
    ),
  ]
  return html`<ul class="chips" aria-label="${t`People`}">${items}</ul>`
}

function chip(call: Choosing, choice: { code: string; name: string }, content: Html): Html {
  return html`<li class="chip"><span>${content}</span> ${choiceLink(call, 'drop', choice)}</li>`
}

export type Selection = { users: number[]; rooms: number[]; visitors: string[] }
type Kind = keyof Selection
export type SelectionQuery = { add?: string | undefined; drop?: string | undefined }

// Servers limit the length of an address. A user who adds more saves in between.
const ADDRESS_MAX = 4_000

export const selectionQuery = { add: text({ max: ADDRESS_MAX }), drop: text({ max: ADDRESS_MAX }) }

const KIND_PREFIXES: Record<Kind, string> = { users: 'u', rooms: 'r', visitors: 'v' }

function selectionOf(base: Selection, { add, drop }: SelectionQuery): Selection {
  const [added, dropped] = [split(add), new Set(split(drop))]
  const merged = (kind: Kind) => {
    const codes = [
      ...base[kind].map((each) => encodeChoice(kind, each)),
      ...added.filter((code) => isOfKind(kind, code)),
    ]
    return [...new Set(codes)].filter((code) => !dropped.has(code)).map((code) => code.slice(1))
  }
  return {
    users: merged('users').map(Number),
    rooms: merged('rooms').map(Number),
    visitors: merged('visitors'),
  }
}

/** The address parameters after adding one, removing one, or swapping one for another. */
export function updateSelection(
  query: SelectionQuery,
  { add, drop }: SelectionQuery,
): { add: string; drop: string } {
  const [added, dropped] = [new Set(split(query.add)), new Set(split(query.drop))]
  // What the event already has can only be in `dropped`, never in `added`.
  if (drop !== undefined && !added.delete(drop)) dropped.add(drop)
  if (add !== undefined && !dropped.delete(add)) added.add(add)
  return { add: [...added].join(), drop: [...dropped].join() }
}

type Linking = Pick<Call<unknown, SelectionQuery>, 'linkHere' | 'query'>
type Linked = { code: string; name: string; id?: string }

/** A script handles this link without leaving the page. */
export function choiceLink(call: Linking, change: 'add' | 'drop', { code, name, id }: Linked): Content {
  const [text, label] = change === 'add' ? [t`Add`, t`Add ${name}`] : [t`Remove`, t`Remove ${name}`]
  const address = call.linkHere(updateSelection(call.query, { [change]: code }))
  return showLink(address, text, { id, [`data-${change}`]: code, 'data-name': name, 'aria-label': label })
}

export function attendeesOf({ users, rooms, visitors }: Selection): InputOf<'events.create'>['attendees'] {
  return [
    ...users.map((id) => ({ type: 'user' as const, id })),
    ...rooms.map((id) => ({ type: 'bookable' as const, id })),
    ...visitors.map((email) => ({ type: 'visitor' as const, email })),
  ]
}

export const encodeChoice = (kind: Kind, chosen: number | string): string => `${KIND_PREFIXES[kind]}${chosen}`

// Ignores anything else that a user writes into the address.
function split(codes: string | undefined): string[] {
  return (codes ?? '')
    .split(',')
    .filter((code) => isOfKind('users', code) || isOfKind('rooms', code) || isOfKind('visitors', code))
}

function isOfKind(kind: Kind, code: string): boolean {
  const rest = code.slice(1)
  if (!code.startsWith(KIND_PREFIXES[kind])) return false
  return kind === 'visitors' ? isEmail(rest) && isPlainText(rest) : /^[1-9]\d{0,14}$/.test(rest)
}
