// The pages that change or delete many bookables of a location at once, as selected in its list. Each change
// is one write, which changes either all of the bookables or none of them.
import { BOOKABLE_STATUSES, BOOKABLES_PER_WRITE_MAX } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import type { ActionResult, Call } from '../../pages/page/page.ts'
import { findUsers, showChosenUser, showUserChooser } from '../../pages/search/choices.ts'
import { showNames, splitTags, tagsText } from '../../pages/ui/bookables.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { type FormOptions, form, showConfirmation } from '../../pages/ui/forms.ts'
import { showCard, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import {
  createLocationBreadcrumbs,
  listLocationOptions,
  locationPages,
  requireLocation,
} from '../places/location-pages.ts'
import { blockUntil, blockUntilForm, showBlockUntilFields } from './block-until.ts'
import { listSelectedBookables, type SelectedBookable } from './queries.ts'
import * as selection from './selection.ts'

const { flexible, blocked, assigned } = BOOKABLE_STATUSES

const tagsForm = object({ ...selection.selectionField, add: tagsText(), remove: tagsText() })
const assignForm = object({
  ...selection.selectionField,
  ...affectedForm.affectedBookingsFormFields,
  user_id: required(queryId()),
})

type ChangeBookablesCall = selection.SelectionCall & {
  query: { person?: string | undefined; user?: number | undefined }
}

export const changeBookablesPage = locationPages.page({
  path: '/selected',
  title: sentence`Change`,
  query: object({ ...selection.selectionQuery, person: text({ max: 255 }), user: queryId() }),
  actions: (action) => ({
    block: action(
      object({ ...selection.selectionField, ...affectedForm.affectedBookingsFormFields }),
      async (call) => {
        const asked = { ids: call.form.ids, status: blocked, ...affectedForm.readResolution(call) }
        const { changed } = (await call.dispatch('bookables.set-status', asked)).data
        return finishChange(
          call,
          changed,
          plural(changed, '# desk or room blocked.', '# desks and rooms blocked.'),
        )
      },
    ),
    'block-until': action(blockUntilForm, (call) =>
      blockUntil(call, call.link(selection.findListPath(call))),
    ),
    unblock: action(object(selection.selectionField), async (call) => {
      const asked = { ids: call.form.ids, status: flexible }
      const { changed } = (await call.dispatch('bookables.set-status', asked)).data
      return finishChange(
        call,
        changed,
        plural(changed, '# desk or room unblocked.', '# desks and rooms unblocked.'),
      )
    }),
    assign: action(assignForm, async (call) => {
      const { ids, user_id } = call.form
      const [user] = await findUsers(call.reads, [user_id])
      const asked = { ids, user_id, ...affectedForm.readResolution(call) }
      const { changed } = (await call.dispatch('bookables.assign-many', asked)).data
      return finishChange(call, changed, describeAssignedBookables(changed, user?.name))
    }),
    unassign: action(object(selection.selectionField), async (call) => {
      const { changed } = (await call.dispatch('bookables.unassign-many', { ids: call.form.ids })).data
      return finishChange(call, changed, plural(changed, '# assignment ended.', '# assignments ended.'))
    }),
    tag: action(tagsForm, async (call) => {
      const { ids, add, remove } = call.form
      const tags = { add: splitTags(add), remove: splitTags(remove) }
      if (tags.add.length + tags.remove.length === 0)
        throw invalidFields({ add: [message`Enter a tag to add or to remove.`] })
      const { changed } = (await call.dispatch('bookables.set-tags', { ids, ...tags })).data
      const notice = plural(changed, 'Tags changed on # desk or room.', 'Tags changed on # desks and rooms.')
      return finishChange(call, changed, notice)
    }),
    move: action(object({ ...selection.selectionField, location_id: required(queryId()) }), async (call) => {
      const { changed } = (await call.dispatch('bookables.relocate', call.form)).data
      const { name } = await requireLocation(call.reads, call.form.location_id)
      const notice = plural(changed, '# desk or room moved to {0}.', '# desks and rooms moved to {0}.', name)
      return finishChange(call, changed, notice)
    }),
  }),
  async show(call, location) {
    const found = await selection.findSelectedBookables(call)
    const breadcrumbs = createLocationBreadcrumbs(location, selection.findListPath(call))
    const list = call.link(selection.findListPath(call))
    if (found.length === 0)
      return { breadcrumbs, title: t`Nothing selected`, content: selection.showNothingSelected(list) }
    if (found.length > BOOKABLES_PER_WRITE_MAX)
      return { breadcrumbs, title: t`Too many selected`, content: selection.showTooManySelected(list) }
    const names = found.map(({ name }) => name)
    return {
      breadcrumbs,
      title:
        names.length === 1
          ? t`Change ${names[0] ?? ''}`
          : plural(names.length, 'Change # desk or room', 'Change # desks and rooms'),
      lead: t`Either all of them change or none.`,
      content: html`${found.length > 1 && html`<p>${showNames(names)}</p>`}
<div class="columns"><div>${await showStatusCard(call, found)}${await showAssignmentCard(call, found)}</div>
<div>${showTagsCard(call, found)}${await showMoveCard(call, found)}${showDeletionCard(call)}</div></div>`,
    }
  },
})

async function finishChange(
  call: selection.SelectionCall & affectedForm.ResolutionCall,
  changed: number,
  notice: string,
): Promise<ActionResult> {
  const words = changed === 0 ? t`Nothing to change.` : notice
  const result = await affectedForm.redirectAfterResolving(
    call,
    call.link(selection.findListPath(call)),
    words,
  )
  return changed === 0 ? { ...result, tone: 'neutral' } : result
}

function describeAssignedBookables(changed: number, user: string | undefined): string {
  return user === undefined
    ? plural(changed, '# desk or room assigned to them.', '# desks and rooms assigned to them.')
    : plural(changed, '# desk or room assigned to {0}.', '# desks and rooms assigned to {0}.', user)
}

function showSelectionForm(
  call: Call,
  found: SelectedBookable[],
  options: FormOptions,
  fields?: (fields: Fields) => Content,
): Html {
  return form(
    call,
    { tone: 'quiet', ...options, hidden: { ...selection.toHiddenIds(found), ...options.hidden } },
    fields,
  )
}

async function showStatusCard(call: ChangeBookablesCall, found: SelectedBookable[]): Promise<Html> {
  const open = found.filter(({ status }) => status !== blocked)
  const search = { ids: open.map(({ id }) => id) }
  const resolutionOptions = await affectedForm.showResolutionOptions(call, search, {
    canLeave: true,
    after: 'block',
  })
  return showCard(
    t`Status`,
    html`<p>${t`Blocked desks and rooms cannot be booked.`}</p>
${open.length > 0 && showSelectionForm(call, found, { action: 'block', submit: t`Block` }, resolutionOptions)}
${open.length > 0 && showSelectionForm(call, found, { action: 'block-until', submit: t`Block until then` }, showBlockUntilFields)}
${open.length < found.length && showSelectionForm(call, found, { action: 'unblock', submit: t`Unblock` })}`,
    'status',
  )
}

async function showAssignmentCard(call: ChangeBookablesCall, found: SelectedBookable[]): Promise<Html> {
  const { user } = call.query
  const isAssigned = found.some(({ status }) => status === assigned)
  const choice =
    user === undefined
      ? await showUserChooser(call, {
          label: t`Assign to`,
          hint: t`After that, only this person can book them.`,
        })
      : await showAssignForm(call, found, user)
  const end = isAssigned && showSelectionForm(call, found, { action: 'unassign', submit: t`End assignments` })
  return showCard(t`Assignment`, html`${choice}${end}`, 'assignment')
}

async function showAssignForm(
  call: ChangeBookablesCall,
  found: SelectedBookable[],
  userId: number,
): Promise<Content> {
  const [user] = await findUsers(call.reads, [userId])
  if (!user?.isActive)
    return html`<p>${t`This person cannot be chosen.`} ${showLink(call.linkHere({ user: null }), t`Choose another person`)}</p>`
  const search = { ids: found.map(({ id }) => id), keptUsers: [userId] }
  const resolutionOptions = await affectedForm.showResolutionOptions(call, search, { after: 'assign' })
  const options = { action: 'assign', submit: t`Assign to ${user.name}`, hidden: { user_id: userId } }
  return html`${showChosenUser(call, user)}
${showSelectionForm(call, found, { ...options, tone: 'primary' }, resolutionOptions)}`
}

function showTagsCard(call: ChangeBookablesCall, found: SelectedBookable[]): Html {
  const hint = t`Separated by commas.`
  const content = showSelectionForm(call, found, { action: 'tag', submit: t`Change tags` }, (fields) => [
    fields.text('add', t`Add`, { hint }),
    fields.text('remove', t`Remove`, { hint }),
  ])
  return showCard(t`Tags`, content, 'tags')
}

async function showMoveCard(call: ChangeBookablesCall, found: SelectedBookable[]): Promise<Content> {
  const options = (await listLocationOptions(call.reads)).filter(({ value }) => value !== call.params.id)
  if (options.length === 0) return null
  return showCard(
    t`Move to another floor`,
    html`<p>${t`They keep their bookings but lose their positions on the floor plan.`}</p>
${showSelectionForm(call, found, { action: 'move', submit: t`Move` }, (fields) =>
  fields.select('location_id', t`Floor`, { any: t`Choose one`, options }),
)}`,
    'move-to-another-location',
  )
}

/** Links to the page that asks for confirmation before it deletes the selected bookables. */
function showDeletionCard(call: ChangeBookablesCall): Html {
  const search = call.linkHere({ user: null, person: null }).split('?')[1] ?? ''
  const address = call.link(`/places/locations/${call.params.id}/delete-bookables?${search}`)
  const link = showLink(address, t`Delete them`)
  return showCard(t`Delete`, html`<p>${t`Past bookings are kept.`} ${link}</p>`, 'delete')
}

export const deleteBookablesPage = locationPages.page({
  path: '/delete-bookables',
  title: sentence`Delete`,
  query: object(selection.selectionQuery),
  actions: (action) => ({
    delete: action(
      object({ ...selection.selectionField, ...affectedForm.affectedBookingsFormFields }),
      async (call) => {
        const { ids } = call.form
        const found = await listSelectedBookables(call.reads, call.params.id, ids)
        // Sends all selected bookables, even those that have since been deleted, so that a second click gets
        // the result of the first.
        await call.dispatch('bookables.delete', {
          ids,
          in_the_way: affectedForm.readResolution(call).in_the_way,
        })
        const [first] = found
        const notice =
          first && found.length === 1
            ? t`${first.name} deleted.`
            : plural(found.length, '# desk or room deleted.', '# desks and rooms deleted.')
        return affectedForm.redirectAfterResolving(call, call.link(selection.findListPath(call)), notice)
      },
    ),
  }),
  async show(call, location) {
    const found = await selection.findSelectedBookables(call)
    const list = call.link(selection.findListPath(call))
    const breadcrumbs = createLocationBreadcrumbs(location, selection.findListPath(call))
    if (found.length === 0) {
      return {
        breadcrumbs,
        title: call.refusedForm ? t`Already deleted` : t`Nothing selected`,
        content: showEmptyState(tHtml`Select what to delete in ${showLinkOrText(list, location.name)}.`),
      }
    }
    const only = found.length === 1 ? found[0] : undefined
    const words = only
      ? { question: t`Delete “${only.name}”?`, consequence: t`Past bookings are kept.`, submit: t`Delete it` }
      : {
          question: plural(found.length, 'Delete # desk or room?', 'Delete # desks and rooms?'),
          consequence: html`${showNames(found.map(({ name }) => name))}
${t`Past bookings are kept.`}`,
          submit: t`Delete them`,
          cancelLabel: t`Keep them`,
        }
    const fields = await affectedForm.showResolutionOptions(call, { ids: found.map(({ id }) => id) })
    const options = { action: 'delete', hidden: selection.toHiddenIds(found), cancel: list, fields }
    return { breadcrumbs, ...showConfirmation(call, { ...options, ...words }) }
  },
})
