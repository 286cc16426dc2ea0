// Signs people in to their own pages, and saves what each person chooses there.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { PUSH_SUBSCRIPTIONS_MAX, SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import { queueSignInMail } from '../../pollers/mail/mails.ts'
import type { Handlers } from '../../runtime/write.ts'
import { refuseUnlessOwner } from '../rows/personal-tokens.ts'
import { createIdReply } from '../rows/rows.ts'
import { lockActiveUser } from '../users/lock-users.ts'
import { pictureHandlers } from './pictures.ts'

export const peopleHandlers: Handlers<`people.${string}`> = {
  ...pictureHandlers,

  async 'people.request-sign-in'(write, { email, language }) {
    const person = await write.first<{ id: number }>(
      'SELECT id FROM users WHERE lower(email) = lower(?) AND deactivated_at IS NULL',
      [email],
    )
    // Anybody can request a link for this person, so the language of the page applies only to this mail and is not
    // stored as the person's choice.
    if (person) await queueSignInMail(write.trx, { userId: person.id, language })
    return null
  },

  async 'people.create-sign-in-link'(write, { user_id, hash }) {
    const { id } = await lockActiveUser(write, user_id)
    await write.run(
      `INSERT INTO sign_in_links (hash, user_id, expires_at)
       VALUES (decode(?, 'hex'), ?, now() + interval '${SIGN_IN_LINK_MINUTES} minutes')`,
      [hash, id],
    )
    await write.audit({ action: 'people.create-sign-in-link', id })
    return createIdReply(id)
  },

  async 'people.choose'(
    write,
    { user_id, visibility = null, language = null, muted_mails = null, pushed_kinds = null },
  ) {
    refuseUnlessOwner(write, user_id)
    const { id } = await lockActiveUser(write, user_id)
    await write.run(
      `INSERT INTO person_settings (user_id, visibility, language, muted_mails, pushed_kinds)
       VALUES (:id, coalesce(:visibility, 'everybody'), :language, coalesce(:muted_mails, '{}'::text[]),
         coalesce(:pushed_kinds, '{}'::text[]))
       ON CONFLICT (user_id) DO UPDATE SET visibility = coalesce(:visibility, person_settings.visibility),
         language = coalesce(:language, person_settings.language),
         muted_mails = coalesce(:muted_mails, person_settings.muted_mails),
         pushed_kinds = coalesce(:pushed_kinds, person_settings.pushed_kinds)`,
      { id, visibility, language, muted_mails, pushed_kinds },
    )
    await write.audit({ action: 'people.choose', id })
    return null
  },

  // Which browsers a person uses is private, so the audit log does not contain them. Deletes the subscription with its
  // deliveries, because it may have belonged to somebody else who used the same browser.
  async 'people.subscribe-to-pushes'(write, { user_id, session, endpoint, p256dh, auth }) {
    refuseUnlessOwner(write, user_id)
    await lockActiveUser(write, user_id)
    const values = { user_id, session, endpoint, p256dh, auth }
    await write.run(
      "DELETE FROM push_subscriptions WHERE endpoint = :endpoint OR session_hash = decode(:session, 'hex')",
      values,
    )
    const added = await write.first(
      `INSERT INTO push_subscriptions (user_id, session_hash, endpoint, p256dh, auth)
       SELECT user_id, hash, :endpoint, :p256dh, :auth FROM person_sessions
       WHERE hash = decode(:session, 'hex') AND user_id = :user_id
       ON CONFLICT (endpoint) DO UPDATE SET user_id = excluded.user_id, session_hash = excluded.session_hash,
         p256dh = excluded.p256dh, auth = excluded.auth
       RETURNING id`,
      values,
    )
    if (!added) throw new Refusal('not_found', message`You are no longer signed in. Sign in and try again.`)
    await write.run(
      `DELETE FROM push_subscriptions WHERE id IN (
         SELECT id FROM push_subscriptions WHERE user_id = ? ORDER BY id DESC OFFSET ${PUSH_SUBSCRIPTIONS_MAX})`,
      [user_id],
    )
    return null
  },

  async 'people.unsubscribe-from-pushes'(write, { user_id, id }) {
    refuseUnlessOwner(write, user_id)
    await write.run('DELETE FROM push_subscriptions WHERE id = ? AND user_id = ?', [id, user_id])
    return null
  },

  // Favourites are private, so the audit log does not contain them.
  async 'people.set-favourite'(write, { user_id, colleague_id, is_favourite }) {
    refuseUnlessOwner(write, user_id)
    await lockActiveUser(write, user_id)
    if (is_favourite)
      await write.run(
        `INSERT INTO favourite_colleagues (user_id, colleague_id)
         SELECT ?, id FROM users WHERE id = ? AND deactivated_at IS NULL ON CONFLICT DO NOTHING`,
        [user_id, colleague_id],
      )
    else
      await write.run('DELETE FROM favourite_colleagues WHERE user_id = ? AND colleague_id = ?', [
        user_id,
        colleague_id,
      ])
    return null
  },
}
