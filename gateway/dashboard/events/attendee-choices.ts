// The people and rooms of an event while it is being created or changed: those chosen, and searches for more.
import { BOOKABLE_TYPES } from '../../../shared/contracts/bookables.ts'
import { object, text } from '../../../shared/contracts/fields.ts'
import { isEmail } from '../../../shared/texts.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call, Redirect } from '../framework/page.ts'
import {
  type BookableChoice,
  findBookables,
  findUsers,
  searchBookables,
  searchUsers,
  type UserChoice,
} from '../search/choices.ts'
import { bookableChooser, showExceptionalStatus, userChooser } from '../search/choosers.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { searchForm } from '../ui/forms.ts'
import { type Selection, selectionOf, selectionQuery, withAdded, withDropped } from './attendee-selection.ts'

export const choicesQuery = object({
  ...selectionQuery,
  person: text({ max: 255 }),
  place: text({ max: 255 }),
  visitor: text({ max: 255 }),
})
export type Choosing = Call<unknown, typeof choicesQuery.__outputType>

export type Choices = { users: UserChoice[]; rooms: BookableChoice[]; visitors: string[] }

export async function findChoices({ reads, query }: Choosing, base: Selection): Promise<Choices> {
  const { users, rooms, visitors } = selectionOf(base, query)
  const [people, places] = await Promise.all([findUsers(reads, users), findBookables(reads, rooms)])
  return { users: people, rooms: places, visitors }
}

/** A visitor's e-mail that was typed becomes one of those chosen, at another address. */
export function redirectWithVisitor(call: Choosing): Redirect | undefined {
  const { visitor } = call.query
  if (visitor === undefined || !isEmail(visitor)) return undefined
  return { redirectTo: call.linkHere({ ...withAdded(call.query, 'visitors', visitor), visitor: null }) }
}

export async function showAttendeeChoices(call: Choosing, choices: Choices): Promise<Html> {
  const { person, place, visitor } = call.query
  const [people, places] = await Promise.all([
    person === undefined ? [] : searchUsers(call.reads, person),
    place === undefined ? [] : searchBookables(call.reads, place, { type: BOOKABLE_TYPES.meetingRoom }),
  ])
  const isChosen = (id: number, chosen: Array<{ id: number }>) => chosen.some((each) => each.id === id)
  const add = (kind: 'users' | 'rooms', id: number) => call.linkHere(withAdded(call.query, kind, id))
  return html`<section class="card" aria-labelledby="people"><h2 id="people">People</h2>
${showChosenPeople(call, choices)}
${userChooser(call, {
  name: 'person',
  label: 'Find people',
  search: person,
  found: people,
  linkText: 'Add',
  addressOf: ({ id }) => (isChosen(id, choices.users) ? undefined : add('users', id)),
})}
<div class="found">${searchForm(call, 'Add visitor', (fields) =>
    fields.text({
      name: 'visitor',
      label: 'Visitor e-mail',
      type: 'email',
      value: visitor,
      hint: visitor === undefined ? undefined : 'This is not a valid e-mail address.',
      required: true,
      maxlength: 255,
    }),
  )}</div></section>
<section class="card" aria-labelledby="rooms"><h2 id="rooms">Rooms</h2>
${showChosenRooms(call, choices)}
${bookableChooser(call, {
  name: 'place',
  label: 'Find rooms',
  search: place,
  found: places,
  linkText: 'Add',
  addressOf: ({ id }) => (isChosen(id, choices.rooms) ? undefined : add('rooms', id)),
})}</section>`
}

function showChosenPeople(call: Choosing, { users, visitors }: Choices): Content {
  if (users.length + visitors.length === 0) {
    return html`<p class="soft">No people yet. One of them will be the organizer.</p>`
  }
  const items = [
    ...users.map(({ id, name, email, isActive }) =>
      showChosen(
        html`${name} <span class="soft">${email}</span>${
          !isActive && html` <span class="badge warn">deactivated, will be left out</span>`
        }`,
        name,
        call.linkHere(withDropped(call.query, 'users', id)),
      ),
    ),
    ...visitors.map((email) =>
      showChosen(
        html`${email} <span class="badge">visitor</span>`,
        email,
        call.linkHere(withDropped(call.query, 'visitors', email)),
      ),
    ),
  ]
  return html`<ul class="chosen-list">${items}</ul>`
}

function showChosenRooms(call: Choosing, { rooms }: Choices): Content {
  if (rooms.length === 0) return html`<p class="soft">No rooms yet. An event does not need any.</p>`
  const items = rooms.map((room) =>
    showChosen(
      html`${room.name} ${showExceptionalStatus(room)}
<span class="soft">${formatBookableType(room.type)}, ${room.location}, ${room.building}</span>`,
      room.name,
      call.linkHere(withDropped(call.query, 'rooms', room.id)),
    ),
  )
  return html`<ul class="chosen-list">${items}</ul>`
}

function showChosen(what: Html, name: string, without: string): Html {
  return html`<li class="chosen"><span>${what}</span> <a href="${without}" aria-label="Remove ${name}">Remove</a></li>`
}
