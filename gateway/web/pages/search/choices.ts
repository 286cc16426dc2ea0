// Finds the people and bookables that forms offer, by a few words; the fields that several searches have; and choosing
// people by search, with a form that changes only the page's address. Works without scripts.
import type pg from 'pg'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { flag, number, orNull, text } from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { commonZone } from '../time/zones.ts'
import { TYPE_OPTIONS } from '../ui/bookables.ts'
import type { Fields, Option } from '../ui/fields.ts'
import { searchForm } from '../ui/forms.ts'
import { type Column, showLink, showLinkOrText, table } from '../ui/parts.ts'

export const USER = {
  id: number('users.id'),
  name: text('users.name'),
  email: text('users.email'),
  isActive: flag('users.deactivated_at IS NULL'),
}
export type UserChoice = rows.RowOf<typeof USER>

export const BOOKABLE = {
  id: number('bookables.id'),
  name: text('bookables.name'),
  type: number('bookables.type'),
  status: number('bookables.status'),
  requiresVehicle: flag('bookables.requires_vehicle'),
  capacity: orNull(number('bookables.capacity')),
  isDeleted: flag('bookables.deleted_at IS NOT NULL'),
  ...rows.PLACE,
}
export type BookableChoice = rows.RowOf<typeof BOOKABLE>

const BUILDING = { id: number('id'), name: text('name'), zone: text('timezone') }
export type BuildingChoice = rows.RowOf<typeof BUILDING>
const LOCATION = { id: number('id'), name: text('name') }
type LocationChoice = rows.RowOf<typeof LOCATION>
const VEHICLE = { id: number('id'), plate: text('license_plate') }
export type VehicleChoice = rows.RowOf<typeof VEHICLE>

export type BookableSearch = {
  type?: number | undefined
  building?: number | undefined
  location?: number | undefined
  tags?: string[]
  without?: number[]
  limit?: number
}

export const findGroup = (reads: pg.Pool, id: number): Promise<{ name: string } | undefined> =>
  rows.selectRow(reads, { name: text('groups.name') }, 'groups WHERE id = $1', [id])

/** Queries fetch one more than this, to know whether there are more. */
export const CHOICES_MAX = 10

const IN_NATURAL_ORDER = `${['buildings', 'locations', 'bookables'].map((table) => naturalSql(`${table}.name`)).join(', ')}, bookables.id`

export async function searchUsers(
  reads: pg.Pool,
  words: string,
  {
    without = [],
    limit = CHOICES_MAX + 1,
    among = 'users',
  }: Pick<BookableSearch, 'without' | 'limit'> & { among?: 'users' | 'colleagues' } = {},
): Promise<UserChoice[]> {
  const conditions = new rows.SqlConditions()
  conditions.add('users.deactivated_at IS NULL')
  if (without.length > 0) conditions.add(`users.id <> ALL(${conditions.bind(without)})`)
  await conditions.addUserSearch(reads, words)
  const found = `${among} AS users WHERE ${conditions.sql} ORDER BY users.name, users.id LIMIT ${limit}`
  return rows.selectRows(reads, USER, found, conditions.values)
}

export const findUsers = async (reads: pg.Pool, ids: number[]): Promise<UserChoice[]> =>
  ids.length === 0
    ? []
    : rows.selectRows(reads, USER, 'users WHERE users.id = ANY($1) ORDER BY users.name, users.id', [ids])

/** Bookables whose whole name is among the words come first. */
export function searchBookables(
  reads: pg.Pool,
  words: string,
  { type, building, location, tags = [], without = [], limit = CHOICES_MAX + 1 }: BookableSearch = {},
): Promise<BookableChoice[]> {
  const conditions = new rows.SqlConditions()
  conditions.add('bookables.deleted_at IS NULL')
  conditions.addEqual({ 'bookables.type': type, 'buildings.id': building, 'locations.id': location })
  if (tags.length > 0) conditions.add(`bookables.tags @> ${conditions.bind(tags)}`)
  if (without.length > 0) conditions.add(`bookables.id <> ALL(${conditions.bind(without)})`)
  conditions.addSearch(words, ['bookables.name', 'locations.name', 'buildings.name'])
  const whole = conditions.bind(` ${words.toLowerCase().replace(/\s+/g, ' ')} `)
  const found = `bookables ${rows.JOIN_PLACES} WHERE ${conditions.sql}
    ORDER BY strpos(${whole}, ' ' || lower(bookables.name) || ' ') = 0, ${IN_NATURAL_ORDER} LIMIT ${limit}`
  return rows.selectRows(reads, BOOKABLE, found, conditions.values)
}

export async function findBookables(reads: pg.Pool, ids: number[]): Promise<BookableChoice[]> {
  if (ids.length === 0) return []
  const found = `bookables ${rows.JOIN_PLACES} WHERE bookables.id = ANY($1) ORDER BY ${IN_NATURAL_ORDER}`
  return rows.selectRows(reads, BOOKABLE, found, [ids])
}

export const listBuildingChoices = (reads: pg.Pool): Promise<BuildingChoice[]> =>
  rows.selectRows(reads, BUILDING, `buildings ORDER BY ${naturalSql('name')}, id LIMIT 1000`)

export const listFloors = (reads: pg.Pool, building: number): Promise<LocationChoice[]> =>
  rows.selectRows(reads, LOCATION, 'locations WHERE building_id = $1 ORDER BY id LIMIT 1000', [building])

/** For pages without a building: the zone that most buildings are in. */
export const findCommonZone = async (reads: pg.Pool) => commonZone(await listBuildingChoices(reads))

export function listVehicles(reads: pg.Pool, userId: number): Promise<VehicleChoice[]> {
  const own = `vehicles WHERE user_id = $1 ORDER BY ${naturalSql('license_plate')}, id LIMIT 100`
  return rows.selectRows(reads, VEHICLE, own, [userId])
}

type Named = { id: number; name: string }

export const optionsOf = (things: readonly Named[]): Option[] =>
  things.map(({ id, name }) => ({ value: id, label: name }))

// Home offices are never full, and come last.
export const EXCLUSIVE_TYPES = TYPE_OPTIONS.slice(0, -1)

export const buildingFilter = (fields: Fields, buildings: readonly Named[], any = t`Any`) =>
  fields.select('building', t`Building`, { any, options: optionsOf(buildings) })

export const floorFilter = (fields: Fields, floors: readonly Named[]) =>
  fields.select('location', t`Floor`, { any: t`Any`, options: optionsOf(floors) })

export const typeFilter = (fields: Fields, options = TYPE_OPTIONS) =>
  fields.select('type', t`Type`, { any: t`Any`, options })

export const tagsFilter = (fields: Fields) =>
  fields.text('tags', t`Tags`, { placeholder: t`window, quiet`, maxlength: 1_000 })

type Choosing = Call<unknown, { person?: string | undefined }>

type Chooser = {
  label: string
  hint?: string
  linkText?: string
  /** The address that chooses the person; undefined if they are already chosen. */
  addressOf?(choice: UserChoice): string | undefined
}

/** Finds people by the words in the address. Links to this page with the chosen `user`, unless told otherwise. */
export async function userChooser(call: Choosing, { label, hint, ...links }: Chooser): Promise<Html> {
  const { person } = call.query
  const {
    linkText = t`Choose`,
    addressOf = ({ id }: UserChoice) => call.linkHere({ user: id, person: null }),
  } = links
  const columns: Column<UserChoice>[] = [
    { label: t`Name`, show: ({ name }) => name },
    { label: t`E-mail`, show: ({ email }) => email },
    {
      label: t`Choose`,
      isTools: true,
      show(choice) {
        const address = addressOf(choice)
        if (address === undefined) return html`<span class="soft">${t`chosen`}</span>`
        return showLink(address, linkText, { 'aria-label': `${linkText} ${choice.name}` })
      },
    },
  ]
  const box = searchForm(call, t`Search`, (fields) =>
    fields.search('person', label, { hint, required: true }),
  )
  if (person === undefined) return box
  const found = await searchUsers(call.reads, person)
  return html`${box}<div class="found">${table(t`Results`, columns, found.slice(0, CHOICES_MAX), t`No active people found.`)}
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}</div>`
}

/** Options below a field in which a user types a name; a script reads their `data-` attributes. */
export function showFoundUsers(
  found: UserChoice[],
  dataOf: (user: UserChoice) => Parameters<typeof attributes>[0],
  more: Html[] = [],
): Html {
  const options = [
    ...found
      .slice(0, CHOICES_MAX)
      .map((user) => showOption(user.name, user.email, { id: `found-${user.id}`, ...dataOf(user) })),
    ...more,
  ]
  const hint = (text: string) => html`<li role="option" aria-disabled="true">${text}</li>`
  if (options.length === 0) return hint(t`No other active people found.`)
  return html`${options}${
    found.length > CHOICES_MAX && hint(t`There are more matches. Add another word to narrow them down.`)
  }`
}

export function showOption(name: string, more: string, data: Parameters<typeof attributes>[0]): Html {
  return html`<li role="option"${attributes({ ...data, 'data-name': name })}>${name} <small>${more}</small></li>`
}

export const showChosenUser = (call: Call, { id, name, email }: UserChoice) =>
  html`<p class="chosen"><span>${showLinkOrText(call.link(`/people/${id}`), name)} <span class="soft">${email}</span></span>
${showLink(call.linkHere({ user: null }), t`Choose another person`)}</p>`

export function showExceptionalStatus({
  status,
  isDeleted,
}: Pick<BookableChoice, 'status' | 'isDeleted'>): Content {
  if (isDeleted) return html`<span class="badge bad">${t`deleted`}</span>`
  if (status === BOOKABLE_STATUSES.blocked) return html`<span class="badge warn">${t`blocked`}</span>`
  return status === BOOKABLE_STATUSES.assigned && html`<span class="badge accent">${t`assigned`}</span>`
}
