// Finds the people and bookables that forms offer, by a few words. Also declares fields that several searches
// share, and a search form for people that works without scripts, because it changes only the page's address.
import type pg from 'pg'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { toLikePattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { flagColumn, nullableColumn, numberColumn, textColumn } from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { chooseCommonZone } from '../time/zones.ts'
import { showLentUntil, TYPE_OPTIONS } from '../ui/bookables.ts'
import type { Fields, Option } from '../ui/fields.ts'
import { showSearchForm } from '../ui/forms.ts'
import { type Column, showLink, showLinkOrText, showTable } from '../ui/parts.ts'

export const USER_CHOICE_COLUMNS = {
  id: numberColumn('users.id'),
  name: textColumn('users.name'),
  email: textColumn('users.email'),
  isActive: flagColumn('users.deactivated_at IS NULL'),
}
export type UserChoice = rows.RowOf<typeof USER_CHOICE_COLUMNS>

export const BOOKABLE_CHOICE_COLUMNS = {
  id: numberColumn('bookables.id'),
  name: textColumn('bookables.name'),
  type: numberColumn('bookables.type'),
  status: numberColumn('bookables.status'),
  requiresVehicle: flagColumn('bookables.requires_vehicle'),
  capacity: nullableColumn(numberColumn('bookables.capacity')),
  isDeleted: flagColumn('bookables.deleted_at IS NOT NULL'),
  ...rows.PLACE_COLUMNS,
}
export type BookableChoice = rows.RowOf<typeof BOOKABLE_CHOICE_COLUMNS>

const BUILDING_COLUMNS = { id: numberColumn('id'), name: textColumn('name'), zone: textColumn('timezone') }
export type BuildingChoice = rows.RowOf<typeof BUILDING_COLUMNS>
const LOCATION_COLUMNS = { id: numberColumn('id'), name: textColumn('name') }
type LocationChoice = rows.RowOf<typeof LOCATION_COLUMNS>
const VEHICLE_COLUMNS = { id: numberColumn('id'), plate: textColumn('license_plate') }
export type VehicleChoice = rows.RowOf<typeof VEHICLE_COLUMNS>

export type BookableSearch = {
  type?: number | undefined
  building?: number | undefined
  location?: number | undefined
  tags?: string[]
  without?: number[]
  limit?: number
}

export const findGroup = (reads: pg.Pool, id: number): Promise<{ name: string } | undefined> =>
  rows.selectRow(reads, { name: textColumn('groups.name') }, 'groups WHERE id = $1', [id])

/** The maximum number of choices. Queries fetch one more, to know whether there are more. */
export const CHOICES_MAX = 10

const ORDER_BY_PLACE_NAMES = `${['buildings', 'locations', 'bookables'].map((table) => naturalSql(`${table}.name`)).join(', ')}, bookables.id`

export async function searchUsers(
  reads: pg.Pool,
  words: string,
  { without = [], limit = CHOICES_MAX + 1 }: Pick<BookableSearch, 'without' | 'limit'> = {},
): Promise<UserChoice[]> {
  const conditions = new rows.SqlConditions()
  conditions.add('users.deactivated_at IS NULL')
  if (without.length > 0) conditions.add(`users.id <> ALL(${conditions.bind(without)})`)
  await conditions.addUserSearch(reads, words)
  const found = `users WHERE ${conditions.sql} ORDER BY users.name, users.id LIMIT ${limit}`
  return rows.selectRows(reads, USER_CHOICE_COLUMNS, found, conditions.values)
}

/**
 * Finds, for each text, the colleagues who match all words of the text. Reads all of them in one statement: the longest
 * word of a text, which is the rarest, narrows the search by the trigram index.
 */
export async function searchColleagues(reads: pg.Pool, texts: string[]): Promise<UserChoice[][]> {
  if (texts.length === 0) return []
  const asked = texts.map((text) => {
    const patterns = rows.splitSearchWords(text).map(toLikePattern)
    return { patterns, longest: patterns.toSorted((one, other) => other.length - one.length)[0] }
  })
  const found = await rows.selectRows(
    reads,
    { index: numberColumn('asked.ordinal::int - 1'), ...USER_CHOICE_COLUMNS },
    `json_array_elements($1::json) WITH ORDINALITY AS asked (text, ordinal) CROSS JOIN LATERAL (
       SELECT * FROM colleagues
       WHERE id IN (
           SELECT user_id FROM user_texts WHERE user_texts.text LIKE lower(asked.text ->> 'longest')
           UNION ALL SELECT unnest(user_ids) FROM changed_user_texts)
         AND (name || ' ' || email) ILIKE ALL (ARRAY(SELECT json_array_elements_text(asked.text -> 'patterns')))
       ORDER BY name, id LIMIT ${CHOICES_MAX + 1}
     ) AS users ORDER BY asked.ordinal, users.name, users.id`,
    [JSON.stringify(asked)],
  )
  return texts.map((_text, index) => found.filter((each) => each.index === index))
}

export const findUsers = async (reads: pg.Pool, ids: number[]): Promise<UserChoice[]> =>
  ids.length === 0
    ? []
    : rows.selectRows(
        reads,
        USER_CHOICE_COLUMNS,
        'users WHERE users.id = ANY($1) ORDER BY users.name, users.id',
        [ids],
      )

/** Finds bookables by words. Bookables whose whole name is among the words come first. */
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
    ORDER BY strpos(${whole}, ' ' || lower(bookables.name) || ' ') = 0, ${ORDER_BY_PLACE_NAMES} LIMIT ${limit}`
  return rows.selectRows(reads, BOOKABLE_CHOICE_COLUMNS, found, conditions.values)
}

export async function findBookables(reads: pg.Pool, ids: number[]): Promise<BookableChoice[]> {
  if (ids.length === 0) return []
  const found = `bookables ${rows.JOIN_PLACES} WHERE bookables.id = ANY($1) ORDER BY ${ORDER_BY_PLACE_NAMES}`
  return rows.selectRows(reads, BOOKABLE_CHOICE_COLUMNS, found, [ids])
}

export const listBuildingChoices = (reads: pg.Pool): Promise<BuildingChoice[]> =>
  rows.selectRows(reads, BUILDING_COLUMNS, `buildings ORDER BY ${naturalSql('name')}, id LIMIT 1000`)

export const listFloors = (reads: pg.Pool, building: number): Promise<LocationChoice[]> =>
  rows.selectRows(reads, LOCATION_COLUMNS, 'locations WHERE building_id = $1 ORDER BY id LIMIT 1000', [
    building,
  ])

/** Returns the time zone that most buildings are in, for pages without a building. */
export const findCommonZone = async (reads: pg.Pool) => chooseCommonZone(await listBuildingChoices(reads))

export function listVehicles(reads: pg.Pool, userId: number): Promise<VehicleChoice[]> {
  const own = `vehicles WHERE user_id = $1 ORDER BY ${naturalSql('license_plate')}, id LIMIT 100`
  return rows.selectRows(reads, VEHICLE_COLUMNS, own, [userId])
}

type NamedThing = { id: number; name: string }

export const toOptions = (things: readonly NamedThing[]): Option[] =>
  things.map(({ id, name }) => ({ value: id, label: name }))

// The bookable types without home offices. Home offices come last in the list and are never full.
export const EXCLUSIVE_TYPES = TYPE_OPTIONS.slice(0, -1)

export const showBuildingFilter = (fields: Fields, buildings: readonly NamedThing[], any = t`Any`) =>
  fields.select('building', t`Building`, { any, options: toOptions(buildings) })

export const showFloorFilter = (fields: Fields, floors: readonly NamedThing[]) =>
  fields.select('location', t`Floor`, { any: t`Any`, options: toOptions(floors) })

export const showTypeFilter = (fields: Fields, options = TYPE_OPTIONS) =>
  fields.select('type', t`Type`, { any: t`Any`, options })

export const showTagsFilter = (fields: Fields) =>
  fields.text('tags', t`Tags`, { placeholder: t`window, quiet`, maxlength: 1_000 })

type UserChooserCall = Call<unknown, { person?: string | undefined }>

type UserChooser = {
  label: string
  hint?: string
  linkText?: string
  /** Returns the address that chooses this person. Returns undefined if the person is already chosen. */
  addressOf?(choice: UserChoice): string | undefined
}

/** Finds people by the words in the page's address. By default, links to this page with the chosen `user`. */
export async function showUserChooser(
  call: UserChooserCall,
  { label, hint, ...links }: UserChooser,
): Promise<Html> {
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
  const box = showSearchForm(call, t`Search`, (fields) =>
    fields.search('person', label, { hint, required: true }),
  )
  if (person === undefined) return box
  const found = await searchUsers(call.reads, person)
  return html`${box}<div class="found">${showTable(t`Results`, columns, found.slice(0, CHOICES_MAX), t`No active people found.`)}
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}</div>`
}

/** Shows the people found below a field in which a user types a name. A script reads their `data-` attributes. */
export function showFoundUsers(
  found: UserChoice[],
  dataOf: (user: UserChoice) => Parameters<typeof formatAttributes>[0],
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

export function showOption(name: string, more: string, data: Parameters<typeof formatAttributes>[0]): Html {
  return html`<li role="option"${formatAttributes({ ...data, 'data-name': name })}>${name} <small>${more}</small></li>`
}

export const showChosenUser = (call: Call, { id, name, email }: UserChoice) =>
  html`<p class="chosen"><span>${showLinkOrText(call.link(`/people/${id}`), name)} <span class="soft">${email}</span></span>
${showLink(call.linkHere({ user: null }), t`Choose another person`)}</p>`

export function showExceptionalStatus({
  status,
  isDeleted,
  lentUntil = null,
}: Pick<BookableChoice, 'status' | 'isDeleted'> & { lentUntil?: string | null }): Content {
  if (isDeleted) return html`<span class="badge bad">${t`deleted`}</span>`
  if (status === BOOKABLE_STATUSES.blocked) return html`<span class="badge warn">${t`blocked`}</span>`
  return (
    status === BOOKABLE_STATUSES.assigned &&
    html`<span class="badge accent">${t`assigned`}</span>${showLentUntil(lentUntil)}`
  )
}
