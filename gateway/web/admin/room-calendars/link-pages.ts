// The pages that link one calendar to a room, create the rooms that Berth lacks, and unlink a room.
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { LINKS_PER_WRITE_MAX } from '../../../../shared/room-calendars/room-calendar-jobs.ts'
import { CALENDAR_PROVIDERS, PROVIDER_LABELS } from '../../../../shared/room-calendars/room-calendars.ts'
import { choice, list, object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { definePage } from '../../pages/page/page.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form, showFormCard } from '../../pages/ui/forms.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { SHOWN_NAME_CHOICES } from '../calendars/names-choices.ts'
import { listLocationOptions } from '../places/location-pages.ts'
import { findLink, findProviderRoom, listLinkableRooms, listMissingRooms } from './queries.ts'
import { CALENDARS_PATH, calendarsBreadcrumbs } from './tabs.ts'

const OFFERED_ROOMS_MAX = 500
const MISSING_ROOMS_MAX = 100

const missingRoom = message`The provider no longer lists this room.`
const providerQuery = required(
  choice(CALENDAR_PROVIDERS, (name) => message`${name} must be one of ${CALENDAR_PROVIDERS.join(', ')}.`),
)

const showNamesField = (fields: Fields) =>
  fields.select('names', t`What entries say about people`, {
    options: SHOWN_NAME_CHOICES.options(),
    hint: t`Everybody who sees the room’s calendar reads this. People who are not visible to everybody always appear as “Taken”.`,
  })

const linkForm = object({ bookable_id: required(queryId()), names: SHOWN_NAME_CHOICES.rule() })

export const linkRoomPage = definePage({
  path: `${CALENDARS_PATH}/link`,
  title: sentence`Link a calendar`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  query: object({ provider: providerQuery, calendar: required(text({ max: 1_000, min: 1 })) }),
  actions: (action) => ({
    link: action(linkForm, async (call) => {
      const { provider, calendar } = call.query
      const { bookable_id, names } = call.form
      const link = { bookable_id, names, provider, calendar }
      await call.dispatch('room-calendars.link', { ...link, is_unlinked: true })
      return { redirectTo: call.link(CALENDARS_PATH), notice: t`Linked. Berth reads the calendar now.` }
    }),
  }),
  async show(call) {
    const { provider, calendar } = call.query
    const [room, rooms] = await Promise.all([
      findProviderRoom(call.reads, provider, calendar),
      listLinkableRooms(call.reads, OFFERED_ROOMS_MAX),
    ])
    if (!room) throw new Refusal('not_found', missingRoom)
    if (room.isLinked)
      throw new Refusal(
        'in_use',
        message`The calendar ${calendar} is linked to ${room.bookable ?? ''}. Unlink it there first.`,
      )
    const options = rooms.map(({ id, name, location, building }) => ({
      value: id,
      label: `${name} – ${location}, ${building}`,
    }))
    const shown = { action: 'link', submit: t`Link`, cancel: call.link(CALENDARS_PATH) }
    return {
      title: t`Link ${room.name}`,
      breadcrumbs: calendarsBreadcrumbs(),
      content:
        options.length === 0
          ? showEmptyState(t`Every meeting room has a calendar already.`)
          : showFormCard(
              call,
              { ...shown, values: { bookable_id: room.bookableId, names: 'full' } },
              (fields) => [
                fields.select('bookable_id', t`Room in Berth`, {
                  any: t`Choose a room`,
                  options,
                  required: true,
                }),
                showNamesField(fields),
              ],
              html`<p>${t`The meetings of ${calendar} become meetings in Berth, and what is booked in Berth appears in this calendar. Berth declines a meeting at a time that is taken in Berth, or shows it under Conflicts if it cannot decline it.`}</p>
${options.length === OFFERED_ROOMS_MAX && html`<p class="soft">${t`Only the first ${OFFERED_ROOMS_MAX} are shown.`}</p>`}`,
            ),
    }
  },
})

const createForm = object({
  location_id: required(queryId()),
  calendars: list(required(text({ max: 1_000, min: 1 })), { max: LINKS_PER_WRITE_MAX }),
  names: SHOWN_NAME_CHOICES.rule(),
})

export const createRoomsPage = definePage({
  path: `${CALENDARS_PATH}/create`,
  title: sentence`Create missing rooms`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  query: object({ provider: providerQuery }),
  actions: (action) => ({
    create: action(createForm, async (call) => {
      const { calendars = [], location_id, names } = call.form
      if (calendars.length === 0) throw invalidFields({ calendars: [message`Choose at least one.`] })
      const { provider } = call.query
      const input = { provider, location_id, names, calendars }
      const { data } = await call.dispatch('room-calendars.create-rooms', input)
      const notice = plural(data.linked, '# room created and linked.', '# rooms created and linked.')
      return { redirectTo: call.link(CALENDARS_PATH), notice }
    }),
  }),
  async show(call) {
    const { provider } = call.query
    const [missing, locations] = await Promise.all([
      listMissingRooms(call.reads, provider, MISSING_ROOMS_MAX),
      listLocationOptions(call.reads),
    ])
    const breadcrumbs = calendarsBreadcrumbs()
    if (missing.length === 0)
      return {
        breadcrumbs,
        content: showEmptyState(t`Berth has a room for each calendar of ${PROVIDER_LABELS[provider]}.`),
      }
    if (locations.length === 0)
      return {
        breadcrumbs,
        content: showEmptyState(t`There is no floor yet.`, t`Add a building and a floor first.`),
      }
    const options = { action: 'create', submit: t`Create and link`, cancel: call.link(CALENDARS_PATH) }
    return {
      breadcrumbs,
      lead: t`Berth has no room for these calendars of ${PROVIDER_LABELS[provider]}. The new rooms get their names, seats and addresses.`,
      content: html`<div class="card narrow">${form(
        call,
        { ...options, values: { names: 'full' } },
        (fields) => [
          fields.select('location_id', t`Floor`, {
            any: t`Choose a floor`,
            options: locations,
            required: true,
          }),
          fields.checkboxes('calendars', t`Rooms on this floor`, {
            options: missing.map(({ calendar, name, capacity }) => ({
              value: calendar,
              label: name,
              hint: [calendar, capacity !== null && plural(capacity, '# seat', '# seats')]
                .filter(Boolean)
                .join(' · '),
            })),
          }),
          showNamesField(fields),
        ],
      )}</div>
${missing.length === MISSING_ROOMS_MAX && html`<p class="soft">${t`Only the first ${MISSING_ROOMS_MAX} are shown.`}</p>`}`,
    }
  },
})

const linkPages = defineResourcePages({
  path: `${CALENDARS_PATH}/{id}`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  missing: message`This room has no calendar.`,
  find: (call) => findLink(call.reads, call.params.id),
  above: calendarsBreadcrumbs,
})

export const unlinkRoomPage = linkPages.form({
  path: '/unlink',
  title: sentence`Unlink`,
  action: 'unlink',
  tone: 'danger',
  heading: ({ name }) => t`Unlink ${name} from its calendar?`,
  intro: ({ calendar }) =>
    t`Berth no longer reads or writes ${calendar}. Everything stays as it is: meetings that came from the calendar stay in Berth, and entries that Berth wrote stay in the calendar. From then on, both can give the room to different people.`,
  async act(call) {
    await call.dispatch('room-calendars.unlink', { bookable_id: call.params.id })
    return { redirectTo: call.link(CALENDARS_PATH), notice: t`Unlinked.` }
  },
})
