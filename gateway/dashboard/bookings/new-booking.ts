// Bookings: creating one for somebody. Person and bookable are chosen first, by search; then comes the form.
import { object, queryId, text } from '../../../shared/contracts/fields.ts'
import { addHours } from '../../../shared/date-times.ts'
import { invalid } from '../../../shared/refusal.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../shared/utilities/wall-clock.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { type ActionCall, type Call, page } from '../framework/page.ts'
import { haveRules, overridingField, showOverriding } from '../places/rules/overriding.ts'
import {
  type BookableChoice,
  findBookables,
  findUsers,
  listVehicles,
  searchBookables,
  searchUsers,
  type UserChoice,
} from '../search/choices.ts'
import { bookableChooser, showExceptionalStatus, userChooser } from '../search/choosers.ts'
import { localDateTime } from '../time/fields.ts'
import { nextFullHour } from '../time/instants.ts'
import { parseSpan } from '../time/spans.ts'
import { formatZone } from '../time/zones.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { form } from '../ui/forms.ts'
import { explainConflicts } from './conflicts.ts'
import {
  guestFields,
  openField,
  parseVehicle,
  showGuestFields,
  showVehicleField,
  timeFields,
  vehicleField,
} from './fields.ts'

const WORKDAY_HOURS = 8

const newBookingForm = object({
  ...timeFields,
  ...openField,
  ...guestFields,
  ...vehicleField,
  ...overridingField,
})
type Form = typeof newBookingForm.__outputType

export const newBooking = page({
  path: '/bookings/new',
  title: 'New booking',
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  query: object({
    person: text({ max: 255 }),
    place: text({ max: 255 }),
    user: queryId(),
    bookable: queryId(),
    /** When it should begin, where that is known already. */
    from: localDateTime(),
  }),
  actions: (action) => ({
    create: action(newBookingForm, async (call) => {
      const { user, bookable } = await findChosen(call)
      if (!user || !bookable) throw invalid({ person: ['Choose a person and a bookable first.'] })
      const id = await createBooking(call, call.form, user, bookable)
      return {
        redirectTo: call.link(`/bookings/${id}`),
        notice: `${bookable.name} is booked for ${user.name}.`,
      }
    }),
  }),
  async show(call) {
    const { person, place } = call.query
    const { user, bookable } = await findChosen(call)
    const [people, places, vehicles, hasRules] = await Promise.all([
      person === undefined || user ? [] : searchUsers(call.reads, person),
      place === undefined || bookable ? [] : searchBookables(call.reads, place),
      user ? listVehicles(call.reads, user.id) : [],
      bookable ? haveRules(call.reads, [bookable.id]) : false,
    ])
    return {
      breadcrumbs: [['Bookings', '/bookings']],
      content: html`<section class="card" aria-labelledby="who"><h2 id="who">Person</h2>
${
  user
    ? showChosenUser(call, user)
    : userChooser(call, {
        name: 'person',
        label: 'Name or e-mail',
        search: person,
        found: people,
        linkText: 'Choose',
        addressOf: ({ id }) => call.linkHere({ user: id, person: null }),
      })
}</section>
<section class="card" aria-labelledby="what"><h2 id="what">Bookable</h2>
${
  bookable
    ? showChosenBookable(call, bookable)
    : bookableChooser(call, {
        name: 'place',
        label: 'Name, location or building',
        search: place,
        found: places,
        linkText: 'Choose',
        addressOf: ({ id }) => call.linkHere({ bookable: id, place: null }),
      })
}</section>
<section class="card" aria-labelledby="when"><h2 id="when">Time</h2>
${
  user && bookable
    ? bookingForm(call, bookable, { vehicles, hasRules, from: call.query.from })
    : html`<p class="soft">Choose a person and a bookable first.</p>`
}</section>`,
    }
  },
})

type Choosing = Call<unknown, { user?: number | undefined; bookable?: number | undefined }>

async function findChosen({ reads, query }: Choosing) {
  const [users, bookables] = await Promise.all([
    findUsers(reads, query.user === undefined ? [] : [query.user]),
    findBookables(reads, query.bookable === undefined ? [] : [query.bookable]),
  ])
  const [user, bookable] = [users[0], bookables[0]]
  return { user: user?.isActive ? user : undefined, bookable: bookable?.isDeleted ? undefined : bookable }
}

async function createBooking(
  call: ActionCall,
  typed: Form,
  user: UserChoice,
  bookable: BookableChoice,
): Promise<number> {
  const { is_open, user_vehicle_id, from_time, to_time, ...guest } = typed
  const zones = { from: bookable.zone, to: bookable.zone }
  const { from, to } = parseSpan({ from_time, to_time: is_open ? undefined : to_time }, zones)
  if (!is_open && !to) throw invalid({ to_time: ['Enter when it ends, or choose open-ended.'] })
  const input = {
    ...guest,
    bookable_id: bookable.id,
    location_id: bookable.locationId,
    user_id: user.id,
    from_time: from ?? null,
    user_vehicle_id: parseVehicle(user_vehicle_id) ?? null,
  }
  const wanted = { bookableIds: [bookable.id], from: from ?? call.now, to: to ?? null }
  const { data } = await explainConflicts(call, wanted, {}, () =>
    to
      ? call.dispatch('bookings.create', { ...input, to_time: to })
      : call.dispatch('bookings.create-open', input),
  )
  return data[0].id
}

function bookingForm(
  call: Call,
  bookable: BookableChoice,
  {
    vehicles,
    hasRules,
    from,
  }: { vehicles: Awaited<ReturnType<typeof listVehicles>>; hasRules: boolean; from: string | undefined },
): Html {
  const { zone } = bookable
  const start = from === undefined ? nextFullHour(call.now) : parseLocalDateTime(from, zone, 'from')
  const end = addHours(start, WORKDAY_HOURS)
  return html`<div class="narrow">${form(
    call,
    { action: 'create', submit: 'Create booking', cancel: call.link('/bookings') },
    (fields) => [
      fields.text({
        name: 'from_time',
        label: 'From',
        type: 'datetime-local',
        value: formatLocalDateTime(start, zone),
        hint: `Time zone: ${formatZone(zone)}. Leave empty to start now.`,
      }),
      fields.text({
        name: 'to_time',
        label: 'Until',
        emptyWhen: 'required unless open-ended',
        type: 'datetime-local',
        value: formatLocalDateTime(end, zone),
        hint: `Time zone: ${formatZone(zone)}`,
      }),
      fields.checkbox({
        name: 'is_open',
        label: 'Open-ended',
        hint: 'It lasts until somebody ends it. “Until” is ignored.',
      }),
      showVehicleField(fields, bookable, vehicles),
      showGuestFields(fields),
      showOverriding(fields, hasRules),
    ],
  )}</div>`
}

function showChosenUser(call: Call, { id, name, email }: UserChoice): Content {
  return html`<p class="chosen"><span><a href="${call.link(`/people/${id}`)}">${name}</a> <span class="soft">${email}</span></span>
<a href="${call.linkHere({ user: null })}">Choose another person</a></p>`
}

function showChosenBookable(call: Call, bookable: BookableChoice): Content {
  const { id, name, type, location, building } = bookable
  return html`<p class="chosen"><span><a href="${call.link(`/places/bookables/${id}`)}">${name}</a> ${showExceptionalStatus(bookable)}
<span class="soft">${formatBookableType(type)}, ${location}, ${building}</span></span>
<a href="${call.linkHere({ bookable: null })}">Choose another bookable</a></p>`
}
