// The pages for signing in to people's own pages, by a link in a mail or through the identity provider, and for signing
// out.
import { createHash } from 'node:crypto'
import { countedMessage, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { SIGN_IN_LINK_MINUTES, SIGN_IN_MAILS_MAX } from '../../../shared/people/people.ts'
import { email, object, pathText, required, verbatimText } from '../../../shared/schemas/fields.ts'
import { findNetwork } from '../../auth/networks.ts'
import { html } from '../../html/html.ts'
import { createRateLimitRefusal, limitWrongGuesses } from '../../overload/refusals.ts'
import { requireReply } from '../../queue/replies.ts'
import type { Context } from '../../server/services/context.ts'
import type { Services } from '../../server/services/services.ts'
import { currentLanguage, sentence, t } from '../locales/translate.ts'
import type { SiteContext } from '../pages/page/context.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { readDevice } from '../pages/page/request.ts'
import { findViewer } from '../pages/page/viewers.ts'
import { defineSignOutPage } from '../pages/site/sign-out.ts'
import { beginSingleSignOn } from '../pages/site/single-sign-on.ts'
import { showEmailField } from '../pages/ui/email-field.ts'
import { form } from '../pages/ui/forms.ts'
import { toSafePath } from '../sessions/addresses.ts'
import { PageFailure } from '../sessions/failure.ts'
import type { Identity } from '../sessions/provider.ts'
import { createSecret } from '../sessions/secrets.ts'
import { normalizeEmail } from '../sessions/sign-ins.ts'
import { beginVerifiedSession, endPersonSession, redeemSignInLink } from './person-sessions.ts'

export const signInPage = definePage({
  path: '/sign-in',
  title: sentence`Sign in`,
  access: 'everybody',
  query: object({ next: pathText().optional() }),
  actions: (action) => ({
    'send-link': action(object({ email: required(email()) }), async (call) => {
      if (!call.services.config.mail)
        throw new Refusal('not_found', message`Berth does not send e-mail here.`)
      await limitLinks(call, call.form.email)
      await requestLink(call, call.form.email)
      return {
        show: {
          title: t`Check your e-mail`,
          content: html`<div class="card narrow"><p>${t`If ${call.form.email} belongs to somebody here, a sign-in link is on its way. It works once, within ${SIGN_IN_LINK_MINUTES} minutes.`}</p>
<p class="soft">${t`Berth sends at most ${SIGN_IN_MAILS_MAX} links within ${SIGN_IN_LINK_MINUTES} minutes.`}</p>
<p class="soft">${t`No e-mail? Check your spam folder, or ask an administrator for a link.`}</p></div>`,
        },
      }
    }),
    'single-sign-on': action(object({}), (call) =>
      beginSingleSignOn(call, toSafePath(call.query.next, call.base)),
    ),
  }),
  show(call) {
    const { provider } = call
    const submit = provider && t`Sign in with ${provider.label}`
    const hasMail = call.services.config.mail !== undefined
    return html`<div class="card narrow">
${call.query.next !== undefined && html`<p>${t`You are not signed in, or your session has ended.`}</p>`}
${submit && form(call, { action: 'single-sign-on', submit })}
${
  hasMail &&
  form(
    call,
    { action: 'send-link', submit: t`Send me a link`, tone: submit ? 'quiet' : 'primary' },
    showEmailField,
  )
}
${!submit && !hasMail && html`<p>${t`Ask an administrator for a sign-in link. Berth does not send e-mail here.`}</p>`}
</div>`
  },
})

// The limit of sign-in links per network, because a whole company may share one address.
const LINKS_PER_NETWORK_AND_MINUTE_MAX = 300
const TOO_MANY_LINKS = message`Too many people are requesting sign-in links right now. Try again in a minute.`
// Says how long to wait, in minutes, because the time zone of somebody who has not signed in is unknown.
const describeTooManyLinks = (seconds: number) =>
  countedMessage(
    Math.ceil(seconds / 60),
    'Berth sends at most {0} links within {1} minutes. Use the newest link in your mailbox, or try again in # minute.',
    'Berth sends at most {0} links within {1} minutes. Use the newest link in your mailbox, or try again in # minutes.',
    SIGN_IN_MAILS_MAX,
    SIGN_IN_LINK_MINUTES,
  )
const TOO_MANY_INVALID_LINKS = message`Too many invalid links were opened. Try again in a minute.`

// Limits sign-in links. Unknown e-mail addresses also count, so that the limit does not reveal which
// addresses are known.
async function limitLinks({ services: { rateLimiter }, device }: Call, email: string): Promise<void> {
  const network = `sign-in-network:${findNetwork(device.address)}`
  const ofNetwork = await rateLimiter.take(network, LINKS_PER_NETWORK_AND_MINUTE_MAX)
  if (!ofNetwork.allowed) throw createRateLimitRefusal(TOO_MANY_LINKS, ofNetwork.resetSeconds)
  const hash = createHash('sha256').update(normalizeEmail(email)).digest('base64url')
  const withinMs = SIGN_IN_LINK_MINUTES * 60_000
  const ofOne = await rateLimiter.take(`sign-in-email:${hash}`, SIGN_IN_MAILS_MAX, withinMs)
  if (!ofOne.allowed)
    throw createRateLimitRefusal(describeTooManyLinks(ofOne.resetSeconds), ofOne.resetSeconds)
}

async function requestLink({ services, now, requestId, baseUrl }: Call, email: string): Promise<void> {
  const actor = { type: 'system', id: null, name: 'sign-in' } as const
  const origin = { actor, requestId, baseUrl, receivedAt: now, idempotency: null }
  requireReply(
    await services.dispatcher.dispatch(
      'people.request-sign-in',
      { email, language: currentLanguage() },
      origin,
    ),
  )
}

const describeExpiredLink = () =>
  t`A link works once, within ${SIGN_IN_LINK_MINUTES} minutes. Request a new one.`

/**
 * The page behind a sign-in link. Opening it has no effect, because programs that check mails for viruses open links
 * too.
 */
export const signInLinkPage = definePage({
  path: '/sign-in/link',
  title: sentence`Sign in`,
  access: 'everybody',
  query: object({ token: verbatimText({ max: 200 }) }),
  actions: (action) => ({
    'use-link': action(object({}), async (call) => {
      const { services, viewer, device, query } = call
      const secret = createSecret()
      // A valid link always works, even if many requests with invalid links come from the same network.
      if (!(await redeemSignInLink(services.primary, query.token ?? '', secret, device))) {
        const over = new PageFailure(401, t`This link no longer works`, describeExpiredLink())
        throw await limitWrongGuesses(services, device.address, over, TOO_MANY_INVALID_LINKS)
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

export const mySignOutPage = defineSignOutPage(async ({ services, viewer }) => {
  await endPersonSession(services.primary, viewer.secret)
  return undefined
})

/** Has the picture fetched. Signing in neither waits for that nor fails with it. */
function providePicture(
  { state: { requestId, baseUrl } }: Context,
  { dispatcher, now, log }: Services,
  personId: number,
  address: string,
): void {
  const actor = { type: 'system', id: null, name: 'sign-in' } as const
  const receivedAt = new Date(now()).toISOString()
  dispatcher
    .dispatch(
      'people.provide-picture',
      { user_id: personId, address },
      { actor, requestId, baseUrl, receivedAt, idempotency: null },
    )
    .catch((error) => log.warn({ err: error, personId }, 'a picture could not be saved'))
}

/** Signs in the person whose e-mail address the provider has verified. */
export const startPersonSession =
  ({ services }: SiteContext, label: string) =>
  async (ctx: Context, { email, isEmailVerified, picture }: Identity, secret: string) => {
    const { primary } = services
    if (email === undefined || !isEmailVerified)
      throw new PageFailure(
        403,
        t`Your e-mail address is missing`,
        t`${label} did not provide a verified e-mail address.`,
      )
    const personId = await beginVerifiedSession(primary, email, secret, readDevice(ctx))
    if (personId === undefined)
      throw new PageFailure(
        403,
        t`You have no access to Berth`,
        t`Nobody here has the e-mail address ${email}. Ask an administrator to add you.`,
      )
    const former = findViewer(ctx)?.secret
    if (former) await endPersonSession(primary, former)
    if (picture && services.config.peoplePictures) providePicture(ctx, services, personId, picture)
    return { personId }
  }
