// Finds the person and the place that a command's options name.
import type { Client } from '../../client.ts'
import type { BookableType } from '../../generated/schemas.ts'
import { type CommandInput, type Option, UsageError } from './command.ts'
import { toPrintable } from './terminal.ts'

export const ON_BEHALF_OF_OPTION: Record<string, Option> = {
  as: {
    value: 'EMAIL',
    text: 'For whom, with the token of a program; otherwise BERTH_AS. A personal token knows.',
  },
}

export const PLACE_OPTIONS: Record<string, Option> = {
  building: { value: 'NAME', text: 'The name or id of a building; needed if there are several.' },
  location: { value: 'NAME', text: 'The name or id of a location, such as a floor.' },
}

export const TYPE_NAMES = ['desk', 'parking', 'room', 'home']

export type Person = { id: number; name: string; email: string }
export type Place = { building_id?: number; location_id?: number }

/** Finds the person whom `--as` names. Defaults to the owner of the token. */
export async function findPerson(berth: Client, given: CommandInput): Promise<Person> {
  const person = await findPersonIfAny(berth, given)
  if (person) return person
  throw new UsageError(
    'This token belongs to a program, not to a person. Say for whom: --as anna@example.com (or BERTH_AS).',
  )
}

export async function findPersonIfAny(berth: Client, given: CommandInput): Promise<Person | undefined> {
  const email = given.option('as') || process.env['BERTH_AS']
  if (email) return berth.users.getByEmail(email)
  const { user } = (await berth.tokens.me()) as { user?: Person | null }
  return user ?? undefined
}

type Named = { id: number; name: string }

/** Finds the building and location that the options name. Defaults to the only building. */
export async function findPlace(berth: Client, given: CommandInput): Promise<Place> {
  const buildings = await berth.buildings.list().all()
  const wanted = given.option('building')
  const chosen = wanted ? [pickNamed('building', wanted, buildings)] : buildings
  const location = given.option('location')
  if (location) {
    const locations = chosen.flatMap((building) => building.locations)
    return { location_id: pickNamed('location', location, locations).id }
  }
  const [only, ...others] = chosen
  if (only && others.length === 0) return { building_id: only.id }
  throw new UsageError(`Say where, with --building or --location. Buildings: ${listNames(buildings)}`)
}

/** Finds a bookable by its id, or by its name in the building or location that the options name. */
export async function findBookable(berth: Client, given: CommandInput, wanted: string) {
  if (/^\d+$/.test(wanted)) return berth.bookables.get(Number(wanted))
  const buildings = await berth.buildings.list().all()
  const building = given.option('building')
  const location = given.option('location')
  const inBuildings = building ? [pickNamed('building', building, buildings)] : buildings
  const locations = inBuildings.flatMap((each) => each.locations)
  const found = []
  for (const { id } of location ? [pickNamed('location', location, locations)] : locations)
    found.push(...(await berth.locations.listBookables(id).all()).filter((each) => hasName(each, wanted)))
  return berth.bookables.get(pickNamed('bookable', wanted, found).id)
}

const hasName = ({ name }: Named, wanted: string) => name.toLowerCase() === wanted.toLowerCase()

function pickNamed<Item extends Named>(kind: string, wanted: string, items: Item[]): Item {
  const found = items.filter((item) => String(item.id) === wanted || hasName(item, wanted))
  const [only, ...others] = found
  if (only && others.length === 0) return only
  if (only) throw new UsageError(`There are several ${kind}s “${wanted}”. Give its id: ${listNames(found)}`)
  throw new UsageError(
    `There is no ${kind} “${wanted}”.${items.length > 0 ? ` There are: ${listNames(items)}` : ''}`,
  )
}

const listNames = (items: Named[]) =>
  items.map(({ id, name }) => `${toPrintable(name)} (${id})`).join(', ') || 'none'

export function readType(text: string): BookableType {
  const type = TYPE_NAMES.indexOf(text)
  if (type < 0) throw new UsageError(`--type must be one of ${TYPE_NAMES.join(', ')}.`)
  return type as BookableType
}
