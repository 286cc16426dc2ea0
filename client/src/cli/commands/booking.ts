// The commands that book, list and cancel a person's bookings, list what is free, and list who is in.
import type { Client } from '../../client.ts'
import type { Command, CommandInput } from '../terminal/command.ts'
import { UsageError } from '../terminal/command.ts'
import { connectToServer } from '../terminal/config.ts'
import {
  findBookable,
  findPerson,
  findPersonIfAny,
  findPlace,
  ON_BEHALF_OF_OPTION,
  PLACE_OPTIONS,
  readType,
  TYPE_NAMES,
} from '../terminal/lookup.ts'
import { print, printJson, printNote, printTable } from '../terminal/terminal.ts'
import {
  addDays,
  type CommandTimeRange,
  formatTime,
  readRange,
  readWholeDay,
  TIME_OPTIONS,
} from '../terminal/times.ts'

const KIND_OPTIONS = {
  type: { value: 'TYPE', text: `${TYPE_NAMES.join(', ')}. Default: desk.` },
  tag: { value: 'TAG', text: 'Only with this tag, such as window; may be repeated.', isList: true },
}

function listFree(
  berth: Client,
  given: CommandInput,
  place: object,
  range: CommandTimeRange,
  user_id?: number,
) {
  const type = readType(given.option('type') ?? 'desk')
  const user = user_id === undefined ? {} : { user_id }
  return berth.availability.list({ ...place, ...range, ...user, type, tag: given.list('tag') })
}

export const bookCommand: Command = {
  name: 'book',
  summary: 'Books a desk, parking spot or room.',
  takes: ['[NAME or ID]'],
  text: 'Without a name it books the first one that is free. If it is taken, the command says until when and what else is free.',
  options: { ...TIME_OPTIONS, ...PLACE_OPTIONS, ...KIND_OPTIONS, ...ON_BEHALF_OF_OPTION },
  examples: ['berth book "Desk 1" --day tomorrow', 'berth book --tag window --from 13:00 --to 16:00'],
  async run(given) {
    const berth = connectToServer(given)
    const range = readRange(given)
    const person = await findPerson(berth, given)
    const [name] = given.positionals
    const bookable = name
      ? await findBookable(berth, given, name)
      : (await listFree(berth, given, await findPlace(berth, given), range, person.id).all())[0]
    if (!bookable) throw new Error('Nothing is free at that time.')
    const [booking] = await berth.bookings.create({
      bookable_id: bookable.id,
      location_id: bookable.location.id,
      user_id: person.id,
      // Defaults to the server's current time, because the local clock may be wrong.
      from_time: given.option('from') || given.option('day') ? range.from : null,
      to_time: range.to,
    })
    if (given.flag('json')) return printJson(booking)
    const { name: booked, location } = booking.bookable
    print(`Booked: ${booked}, ${location.name}, ${formatTime(booking.from)} to ${formatTime(booking.to)}`)
    print(`To cancel it: berth cancel ${booking.id}`)
  },
}

export const freeCommand: Command = {
  name: 'free',
  summary: 'Lists what is free for the whole of a time.',
  text: 'With --as, or with a personal token, it leaves out what that person may not book.',
  options: { ...TIME_OPTIONS, ...PLACE_OPTIONS, ...KIND_OPTIONS, ...ON_BEHALF_OF_OPTION },
  examples: ['berth free --day tomorrow --tag window', 'berth free --type room --from 14:00 --to 15:00'],
  async run(given) {
    const berth = connectToServer(given)
    const range = readRange(given)
    const person = await findPersonIfAny(berth, given)
    const found = await listFree(berth, given, await findPlace(berth, given), range, person?.id).all()
    if (given.flag('json')) return printJson(found)
    const columns = {
      ID: (each: (typeof found)[number]) => each.id,
      NAME: (each: (typeof found)[number]) => each.name,
      LOCATION: (each: (typeof found)[number]) => each.location.name,
      BUILDING: (each: (typeof found)[number]) => each.location.building.name,
    }
    printTable(found, columns, 'Nothing is free at that time.')
  },
}

export const whoCommand: Command = {
  name: 'who',
  summary: 'Lists who is in, and where.',
  options: { day: TIME_OPTIONS['day'] ?? { text: '' }, ...PLACE_OPTIONS },
  examples: ['berth who', 'berth who --day monday --location "Ground floor"'],
  async run(given) {
    const berth = connectToServer(given)
    const range = readWholeDay(given)
    if ((await berth.tokens.me()).user)
      throw new UsageError('A personal token does not show who else is in. Use the token of a program.')
    const { building_id, location_id } = await findPlace(berth, given)
    const inBuilding = building_id && berth.buildings.listBookings(building_id, range)
    const found = await (inBuilding || berth.locations.listBookings(location_id ?? 0, range)).all()
    if (given.flag('json')) return printJson(found)
    type Entry = (typeof found)[number]
    const columns = {
      NAME: ({ guest, user }: Entry) => guest ?? user.name,
      WHERE: ({ bookable }: Entry) => bookable.name,
      FROM: ({ from }: Entry) => formatTime(from),
      TO: ({ to }: Entry) => formatTime(to),
    }
    printTable(found, columns, 'Nobody has booked anything.')
  },
}

const LISTED_DAYS = 7

export const mineCommand: Command = {
  name: 'mine',
  summary: `Lists your bookings of the next ${LISTED_DAYS} days.`,
  options: ON_BEHALF_OF_OPTION,
  examples: ['berth mine', 'berth mine --as anna@example.com --json'],
  async run(given) {
    const berth = connectToServer(given)
    const person = await findPerson(berth, given)
    const now = new Date()
    // Shows at most a week of 168 hours, even if the clocks change in that week.
    const week = addDays(now, LISTED_DAYS)
    const to = new Date(Math.min(week.getTime(), now.getTime() + LISTED_DAYS * 86_400_000))
    const found = await berth.users.listBookings(person.id, { from: now, to }).all()
    if (given.flag('json')) return printJson(found)
    type Entry = (typeof found)[number]
    const columns = {
      ID: ({ id }: Entry) => id,
      WHAT: ({ bookable }: Entry) => bookable.name,
      WHERE: ({ bookable }: Entry) => bookable.location.name,
      FROM: ({ from }: Entry) => formatTime(from),
      TO: ({ to: end }: Entry) => formatTime(end),
    }
    printTable(found, columns, 'No bookings.')
  },
}

export const cancelCommand: Command = {
  name: 'cancel',
  summary: 'Deletes bookings.',
  takes: ['ID…'],
  text: 'The ids are those that `berth mine` lists. It stops at the first one that cannot be deleted.',
  examples: ['berth cancel 815', 'berth cancel 815 816'],
  async run(given) {
    const ids = given.positionals.map((text) => {
      if (!/^\d+$/.test(text)) throw new UsageError(`“${text}” is no id of a booking.`)
      return Number(text)
    })
    const berth = connectToServer(given)
    for (const id of ids) {
      await berth.bookings.delete(id)
      printNote(`Cancelled: ${id}`)
    }
    if (given.flag('json')) printJson(ids)
  },
}
