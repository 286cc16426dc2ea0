// The page that changes many bookables of a location at once, as selected in its list: blocks, assigns, tags,
// moves or deletes them. Each change is one write: it changes all of them, or none.
import { BOOKABLE_STATUSES, MANY_MAX } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { object, pathId, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import {
  conflictFormFields,
  conflictInput,
  fromNowOn,
  isInTheWay,
  redirectAfterClearing,
  showConflictOptions,
} from '../affected-bookings/conflict-form.ts'
import { backPath } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { listLocationNames, missingLocation, requireLocation } from '../places/location-queries.ts'
import { findUsers, searchUsers } from '../search/choices.ts'
import { userChooser } from '../search/choosers.ts'
import { showNames, splitTags, tagsText } from '../ui/bookables.ts'
import { card } from '../ui/cards.ts'
import { form } from '../ui/forms.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { formatNumber } from '../ui/words.ts'
import type { SelectedBookable } from './queries.ts'
import { findSelected, hiddenIds, type Selecting, selectionField, selectionQuery } from './selection.ts'

const { flexible, blocked, assigned } = BOOKABLE_STATUSES

const tagsForm = object({ ...selectionField, add: tagsText(), remove: tagsText() })

type Choosing = Selecting & { query: { person?: string | undefined; user?: number | undefined } }

export const changeBookables = page({
  path: '/places/locations/{id}/selected',
  title: sentence`Change`,
  section: 'Places',
  params: object({ id: pathId() }),
  query: object({ ...selectionQuery, person: text({ max: 255 }), user: queryId() }),
  missing: missingLocation,
  actions: (action) => ({
    block: action(object({ ...selectionField, ...conflictFormFields }), async (call) => {
      const { ids } = call.form
      const asked = { ids, status: blocked, ...conflictInput(call) }
      const { data } = await call.dispatch('bookables.set-status', asked)
      const notice = plural(data.changed, '# desk or room blocked.', '# desks and rooms blocked.')
      return redirectAfterClearing(call, locationOf(call), describe(data.changed, notice))
    }),
    unblock: action(object(selectionField), async (call) => {
      const { data } = await call.dispatch('bookables.set-status', { ids: call.form.ids, status: flexible })
      const notice = plural(data.changed, '# desk or room unblocked.', '# desks and rooms unblocked.')
      return done(call, describe(data.changed, notice))
    }),
    assign: action(
      object({ ...selectionField, ...conflictFormFields, user_id: required(queryId()) }),
      async (call) => {
        const { ids, user_id } = call.form
        const [user] = await findUsers(call.reads, [user_id])
        const asked = { ids, user_id, ...conflictInput(call) }
        const { data } = await call.dispatch('bookables.assign-many', asked)
        const notice = describeAssigned(data.changed, user?.name)
        return redirectAfterClearing(call, locationOf(call), describe(data.changed, notice))
      },
    ),
    unassign: action(object(selectionField), async (call) => {
      const { data } = await call.dispatch('bookables.unassign-many', { ids: call.form.ids })
      return done(call, plural(data.changed, '# assignment ended.', '# assignments ended.'))
    }),
    tag: action(tagsForm, async (call) => {
      const { ids, add, remove } = call.form
      const tags = { add: splitTags(add), remove: splitTags(remove) }
      if (tags.add.length + tags.remove.length === 0)
        throw invalid({ add: [message`Enter a tag to add or to remove.`] })
      const { data } = await call.dispatch('bookables.set-tags', { ids, ...tags })
      const notice = plural(
        data.changed,
        'Tags changed on # desk or room.',
        'Tags changed on # desks and rooms.',
      )
      return done(call, describe(data.changed, notice))
    }),
    move: action(object({ ...selectionField, location_id: required(queryId()) }), async (call) => {
      const { data } = await call.dispatch('bookables.relocate', call.form)
      const { name } = await requireLocation(call.reads, call.form.location_id)
      const notice = plural(
        data.changed,
        '# desk or room moved to {0}.',
        '# desks and rooms moved to {0}.',
        name,
      )
      return done(call, describe(data.changed, notice))
    }),
  }),
  async show(call) {
    const { id } = call.params
    const [location, found] = await Promise.all([requireLocation(call.reads, id), findSelected(call)])
    const back = backPath(call, `/places/locations/${id}`)
    const view = {
      breadcrumbs: [
        [t`Places`, '/places'],
        [location.building, `/places/buildings/${location.buildingId}`],
        [location.name, back],
      ] as Array<[string, string]>,
    }
    if (found.length === 0) return { ...view, title: t`Nothing selected`, content: nothing(call.link(back)) }
    if (found.length > MANY_MAX)
      return { ...view, title: t`Too many selected`, content: tooMany(call.link(back)) }
    const names = found.map(({ name }) => name)
    return {
      ...view,
      title: describeChange(names),
      lead: t`Either all of them change or none.`,
      content: html`${found.length > 1 && html`<p>${showNames(names)}</p>`}
<div class="columns"><div>${await statusCard(call, found)}${await assignmentCard(call, found)}</div>
<div>${tagsCard(call, found)}${await moveCard(call, found)}${deletionCard(call)}</div></div>`,
    }
  },
})

function describeChange(names: string[]): string {
  const [first = '', number] = [names[0], names.length]
  return number === 1
    ? t`Change ${first}`
    : plural(number, 'Change # desk or room', 'Change # desks and rooms')
}

function done(call: Selecting, notice: string) {
  return { redirectTo: locationOf(call), notice }
}

function locationOf(call: Selecting): string {
  return call.link(backPath(call, `/places/locations/${call.params.id}`))
}

function describe(changed: number, notice: string): string {
  return changed === 0 ? t`Nothing to change.` : notice
}

function describeAssigned(changed: number, user: string | undefined): string {
  return user === undefined
    ? plural(changed, '# desk or room assigned to them.', '# desks and rooms assigned to them.')
    : plural(changed, '# desk or room assigned to {0}.', '# desks and rooms assigned to {0}.', user)
}

const nothing = (address: string): Html =>
  html`<div class="empty"><p><strong>${t`Nothing is selected.`}</strong></p>
<p>${showLink(address, t`Select what to change in the list`)}</p></div>`

const tooMany = (address: string): Html =>
  html`<div class="empty"><p><strong>${t`More than ${formatNumber(MANY_MAX)} match.`}</strong></p>
<p>${t`Up to ${formatNumber(MANY_MAX)} can be changed at once.`} ${showLink(address, t`Narrow the search`)}</p></div>`

async function statusCard(call: Choosing, found: SelectedBookable[]): Promise<Html> {
  const open = found.filter(({ status }) => status !== blocked)
  const search = { ids: open.map(({ id }) => id), times: fromNowOn(call) }
  const conflictOptions = isInTheWay(call, 'block')
    ? await showConflictOptions(call, search, { canLeave: true })
    : undefined
  const hidden = hiddenIds(found)
  const unblock = { action: 'unblock', submit: t`Unblock`, tone: 'quiet', hidden } as const
  return card(
    t`Status`,
    html`<p>${t`Nobody can book what is blocked.`}</p>
${open.length > 0 && form(call, { action: 'block', submit: t`Block`, tone: 'quiet', hidden }, conflictOptions)}
${open.length < found.length && form(call, unblock)}`,
    'status',
  )
}

async function assignmentCard(call: Choosing, found: SelectedBookable[]): Promise<Html> {
  const { person, user } = call.query
  const isAssigned = found.some(({ status }) => status === assigned)
  const end = {
    action: 'unassign',
    submit: t`End assignments`,
    tone: 'quiet',
    hidden: hiddenIds(found),
  } as const
  const choice =
    user === undefined
      ? userChooser(call, {
          name: 'person',
          label: t`Assign to`,
          hint: t`Only this person can book them then.`,
          search: person,
          found: person === undefined ? [] : await searchUsers(call.reads, person),
          linkText: t`Choose`,
          addressOf: ({ id }) => call.linkHere({ user: id, person: null }),
        })
      : await assignForm(call, found, user)
  return card(t`Assignment`, html`${choice}${isAssigned && form(call, end)}`, 'assignment')
}

async function assignForm(call: Choosing, found: SelectedBookable[], userId: number): Promise<Content> {
  const [user] = await findUsers(call.reads, [userId])
  const other = showLink(call.linkHere({ user: null }), t`Choose another person`)
  if (!user?.isActive) return html`<p>${t`This person cannot be chosen.`} ${other}</p>`
  const search = { ids: found.map(({ id }) => id), times: fromNowOn(call), keptUsers: [userId] }
  const conflictOptions = isInTheWay(call, 'assign')
    ? await showConflictOptions(call, search, { canLeave: false })
    : undefined
  const hidden = { ...hiddenIds(found), user_id: userId }
  return html`<p class="chosen"><span>${showLinkOrText(call.link(`/people/${userId}`), user.name)} <span class="soft">${user.email}</span></span> ${other}</p>
${form(call, { action: 'assign', submit: t`Assign to ${user.name}`, hidden }, conflictOptions)}`
}

function tagsCard(call: Choosing, found: SelectedBookable[]): Html {
  const options = { action: 'tag', submit: t`Change tags`, tone: 'quiet', hidden: hiddenIds(found) } as const
  const hint = t`Separated by commas.`
  return card(
    t`Tags`,
    form(call, options, (fields) => [
      fields.text({ name: 'add', label: t`Add`, hint }),
      fields.text({ name: 'remove', label: t`Remove`, hint }),
    ]),
    'tags',
  )
}

async function moveCard(call: Choosing, found: SelectedBookable[]): Promise<Html> {
  const locations = (await listLocationNames(call.reads)).filter(({ id }) => id !== call.params.id)
  if (locations.length === 0) return html``
  const options = { action: 'move', submit: t`Move`, tone: 'quiet', hidden: hiddenIds(found) } as const
  const choices = locations.map(({ id, name, building }) => ({ value: id, label: `${building}: ${name}` }))
  return card(
    t`Move to another location`,
    html`<p>${t`Bookings stay with them. Their positions on the floor plan are cleared.`}</p>
${form(call, options, (fields) =>
  fields.select({
    name: 'location_id',
    label: t`Location`,
    required: true,
    options: [{ value: '', label: t`Choose one` }, ...choices],
  }),
)}`,
    'move-to-another-location',
  )
}

/** Links to the page that asks before it deletes the same bookables. */
function deletionCard(call: Choosing): Html {
  const search = call.linkHere({ user: null, person: null }).split('?')[1] ?? ''
  const address = call.link(`/places/locations/${call.params.id}/delete-bookables?${search}`)
  const link = showLink(address, t`Delete them`)
  return card(t`Delete`, html`<p>${t`Past bookings are kept.`} ${link}</p>`, 'delete')
}
