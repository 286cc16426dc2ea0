// Signing in to the people's own pages, and what each person chooses there.
import { SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import { queueSignInMail } from '../../pollers/mail/mails.ts'
import type { Handlers } from '../../runtime/write.ts'
import { refuseForOthers } from '../rows/personal-tokens.ts'
import { idReply } from '../rows/rows.ts'
import { lockActiveUser } from '../users/lock-users.ts'

export const peopleHandlers: Handlers<`people.${string}`> = {
  async 'people.request-sign-in'(write, { email, language }) {
    const person = await write.first<{ id: number }>(
      'SELECT id FROM users WHERE lower(email) = lower(?) AND deactivated_at IS NULL',
      [email],
    )
    // Anybody may ask for a link, so the language of the page is only that of this mail.
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
    return idReply(id)
  },

  async 'people.choose'(write, { user_id, visibility = null, language = null, muted_mails = null }) {
    refuseForOthers(write, user_id)
    const { id } = await lockActiveUser(write, user_id)
    await write.run(
      `INSERT INTO person_settings (user_id, visibility, language, muted_mails)
       VALUES (:id, coalesce(:visibility, 'everybody'), :language, coalesce(:muted_mails, '{}'::text[]))
       ON CONFLICT (user_id) DO UPDATE SET visibility = coalesce(:visibility, person_settings.visibility),
         language = coalesce(:language, person_settings.language),
         muted_mails = coalesce(:muted_mails, person_settings.muted_mails)`,
      { id, visibility, language, muted_mails },
    )
    await write.audit({ action: 'people.choose', id })
    return null
  },

  // Nobody but the person learns of their favourites, not even the audit log.
  async 'people.set-favourite'(write, { user_id, colleague_id, is_favourite }) {
    refuseForOthers(write, user_id)
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
