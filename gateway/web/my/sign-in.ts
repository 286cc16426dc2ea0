// Signing in to the people's own pages: by a link in a mail, or through the provider; and signing out.
import { createHash } from 'node:crypto'
import { counted, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { SIGN_IN_LINK_MINUTES, SIGN_IN_MAILS_MAX } from '../../../shared/people/people.ts'
import { email, object, pathText, required, verbatim } from '../../../shared/schemas/fields.ts'
import { networkOf } from '../../auth/networks.ts'
import { html } from '../../html/html.ts'
import { rateLimited, refuseWrongGuess } from '../../overload/refusals.ts'
import { replyOf } from '../../queue/replies.ts'
import type { Context } from '../../server/services/context.ts'
import { currentLanguage, sentence, t } from '../locales/translate.ts'
import type { SiteContext } from '../pages/page/context.ts'
import { type Call, page } from '../pages/page/page.ts'
import { deviceOf } from '../pages/page/request.ts'
import { viewerOf } from '../pages/page/viewers.ts'
import { signOutPage } from '../pages/site/sign-out.ts'
import { beginSingleSignOn } from '../pages/site/single-sign-on.ts'
import { emailField } from '../pages/ui/email-field.ts'
import { form } from '../pages/ui/forms.ts'
import { safeNextPath } from '../sessions/addresses.ts'
import { PageFailure } from '../sessions/failure.ts'
import type { Identity } from '../sessions/provider.ts'
import { createSecret } from '../sessions/secrets.ts'
import { normalizeEmail } from '../sessions/sign-ins.ts'
import { beginVerifiedSession, endPersonSession, redeemLink } from './person-sessions.ts'

export const signIn = page({
  path: '/sign-in',
  title: sentence`Sign in`,
  access: 'everybody',
  query: object({ next: pathText().optional() }),
  actions: (action) => ({
    'send-link': action(object({ email: required(email()) }), async (call) => {
      if (!call.services.config.mail) throw new Refusal('not_found', message`Berth sends no mail here.`)
      await limitLinks(call, call.form.email)
      await requestLink(call, call.form.email)
      return {
        show: {
          title: t`Check your e-mail`,
          content: html`<div class="card narrow"><p>${t`If ${call.form.email} belongs to somebody here, a link to sign in is on its way. It works once, within ${SIGN_IN_LINK_MINUTES} minutes.`}</p>
<p class="soft">${t`Berth sends at most ${SIGN_IN_MAILS_MAX} links within ${SIGN_IN_LINK_MINUTES} minutes.`}</p>
<p class="soft">${t`Nothing there? Check your spam folder, or ask an administrator for a link.`}</p></div>`,
        },
      }
    }),
    'single-sign-on': action(object({}), (call) =>
      beginSingleSignOn(call, safeNextPath(call.query.next, call.base)),
    ),
  }),
  show(call) {
    const { provider } = call
    const submit = provider && t`Sign in with ${provider.label}`
    const hasMail = call.services.config.mail !== undefined
    return html`<div class="card narrow">
${submit && form(call, { action: 'single-sign-on', submit })}
${
  hasMail &&
  form(
    call,
    { action: 'send-link', submit: t`Send me a link`, tone: submit ? 'quiet' : 'primary' },
    emailField,
  )
}
${!submit && !hasMail && html`<p>${t`Ask an administrator for a link to sign in: Berth sends no mail here.`}</p>`}
</div>`
  },
})

// A whole company may have one address.
const LINKS_PER_NETWORK_AND_MINUTE = 300
const TOO_MANY_LINKS = message`Too many people are requesting sign-in links right now. Try again in a minute.`
// In minutes, because nobody knows the time zone of somebody who has not signed in.
const tooManyForOne = (seconds: number) =>
  counted(
    Math.ceil(seconds / 60),
    'Berth sends at most {0} links within {1} minutes. Use the newest link in your mailbox, or try again in # minute.',
    'Berth sends at most {0} links within {1} minutes. Use the newest link in your mailbox, or try again in # minutes.',
    SIGN_IN_MAILS_MAX,
    SIGN_IN_LINK_MINUTES,
  )
const TOO_MANY_WRONG = message`Too many links that do not work. Try again in a minute.`

// Counts unknown e-mail addresses like known ones, so that the limit does not reveal which are known.
async function limitLinks({ services: { rateLimiter }, device }: Call, email: string): Promise<void> {
  const network = `sign-in-network:${networkOf(device.address)}`
  const ofNetwork = await rateLimiter.take(network, LINKS_PER_NETWORK_AND_MINUTE)
  if (!ofNetwork.allowed) throw rateLimited(TOO_MANY_LINKS, ofNetwork.resetSeconds)
  const hash = createHash('sha256').update(normalizeEmail(email)).digest('base64url')
  const withinMs = SIGN_IN_LINK_MINUTES * 60_000
  const ofOne = await rateLimiter.take(`sign-in-email:${hash}`, SIGN_IN_MAILS_MAX, withinMs)
  if (!ofOne.allowed) throw rateLimited(tooManyForOne(ofOne.resetSeconds), ofOne.resetSeconds)
}

async function requestLink({ services, now, requestId, baseUrl }: Call, email: string): Promise<void> {
  const actor = { type: 'system', id: null, name: 'sign-in' } as const
  const origin = { actor, requestId, baseUrl, receivedAt: now, idempotency: null }
  replyOf(
    await services.dispatcher.dispatch(
      'people.request-sign-in',
      { email, language: currentLanguage() },
      origin,
    ),
  )
}

const linkIsOver = () => t`A link works once, within ${SIGN_IN_LINK_MINUTES} minutes. Ask for another one.`

/** Opening the link does nothing, because programs that check mails for viruses open it too. */
export const signInLink = page({
  path: '/sign-in/link',
  title: sentence`Sign in`,
  access: 'everybody',
  query: object({ token: verbatim({ max: 200 }) }),
  actions: (action) => ({
    'use-link': action(object({}), async (call) => {
      const { services, viewer, device, query } = call
      const secret = createSecret()
      // A valid link always works, however many others from the same network do not.
      if (!(await redeemLink(services.primary, query.token ?? '', secret, device))) {
        const over = new PageFailure(401, t`This link does not work any more`, linkIsOver())
        throw await refuseWrongGuess(services, device.address, over, TOO_MANY_WRONG)
      }
      await endPersonSession(services.primary, viewer.secret)
      call.setSession(secret)
      return { redirectTo: call.link(call.takeNext()) }
    }),
  }),
  show: (call) =>
    html`<div class="card narrow"><p>${t`Sign in to Berth in this browser?`}</p>
${form(call, { action: 'use-link', submit: t`Sign in` })}</div>`,
})

export const signOut = signOutPage(async ({ services, viewer }) => {
  await endPersonSession(services.primary, viewer.secret)
  return undefined
})

/** The provider has verified who signs in: the person here with the same e-mail address. */
export const startPersonSession =
  ({ services: { primary } }: SiteContext, label: string) =>
  async (ctx: Context, { email, isEmailVerified }: Identity, secret: string) => {
    if (email === undefined || !isEmailVerified)
      throw new PageFailure(
        403,
        t`Your e-mail address is missing`,
        t`${label} did not provide a verified e-mail address.`,
      )
    const personId = await beginVerifiedSession(primary, email, secret, deviceOf(ctx))
    if (personId === undefined)
      throw new PageFailure(
        403,
        t`You have no access to Berth`,
        t`Nobody here has the e-mail address ${email}. Ask an administrator to add you.`,
      )
    const former = viewerOf(ctx)?.secret
    if (former) await endPersonSession(primary, former)
    return { personId }
  }
