// The people of an event that is being created or changed: those chosen so far, and searches for more.
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call, Redirect } from '../kit/page.ts'
import { parseTypedEmail } from '../kit/typed-email.ts'
import { t } from '../locales/translate.ts'
import {
  type BookableChoice,
  CHOICES_MAX,
  findBookables,
  findUsers,
  searchUsers,
  type UserChoice,
} from '../search/choices.ts'
import { userChooser } from '../search/choosers.ts'
import { searchForm } from '../ui/forms.ts'
import {
  changed,
  encodeChoice,
  removeLink,
  type Selection,
  type SelectionQuery,
  selectionOf,
} from './attendee-selection.ts'

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
  return { redirectTo: call.linkHere({ ...changed(call.query, { add }), visitor: null }) }
}

/** Without scripts, a form finds people and shows the results in its own list. */
export async function showPeopleSearch(call: Choosing, { users }: Choices): Promise<Html> {
  const { person, visitor } = call.query
  const isChosen = (id: number) => users.some((each) => each.id === id)
  return html`<div data-find-people>${userChooser(call, {
    name: 'person',
    label: t`Find people`,
    search: person,
    found: person === undefined ? [] : await searchUsers(call.reads, person),
    linkText: t`Add`,
    addressOf: ({ id }) =>
      isChosen(id) ? undefined : call.linkHere(changed(call.query, { add: encodeChoice('users', id) })),
  })}</div>
<div class="found" data-visitor>${searchForm(call, t`Add visitor`, (fields) =>
    fields.text({
      name: 'visitor',
      label: t`Visitor e-mail`,
      value: visitor,
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
  const options = found
    .slice(0, CHOICES_MAX)
    .filter(({ id }) => !chosen.users.includes(id))
    .map(({ id, name, email }) => option({ code: encodeChoice('users', id), name, more: email }))
  const address = parseTypedEmail(person)
  const isKnown = found.some(({ email }) => email.toLowerCase() === address?.toLowerCase())
  if (address !== undefined && !isKnown && !chosen.visitors.includes(address)) {
    options.push(option({ code: encodeChoice('visitors', address), name: address, more: t`visitor` }))
  }
  if (options.length === 0)
    return html`<li role="option" aria-disabled="true">${t`No other active people found.`}</li>`
  return html`${options}${
    found.length > CHOICES_MAX &&
    html`<li role="option" aria-disabled="true">${t`There are more matches. Add another word to narrow them down.`}</li>`
  }`
}

function option({ code, name, more }: { code: string; name: string; more: string }): Html {
  return html`<li role="option" id="found-${code}" data-add="${code}" data-name="${name}">${name} <small>${more}</small></li>`
}

export function showChosenPeople(call: Choosing, { users, visitors }: Choices): Content {
  if (users.length + visitors.length === 0) {
    return html`<p class="soft">${t`No people yet. Add at least one: every event needs an organizer.`}</p>`
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
  return html`<li class="chip"><span>${content}</span> ${removeLink(call, choice)}</li>`
}
