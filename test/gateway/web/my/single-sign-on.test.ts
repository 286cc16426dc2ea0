// Tests signing in to people's own pages through a real OpenID Connect provider.
import { expect } from 'chai'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import {
  beginSignIn,
  createProviderEnvironment,
  returnFromProvider,
  useProvider,
} from '../../../support/dashboard/provider.ts'
import { createUser } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('signing in to people’s own pages through an identity provider', () => {
  const provider = useProvider()
  const world = useWorld(() => ({ environment: createProviderEnvironment(provider) }))
  before(() => provider.serve(world.url))

  it('stores the language of the first sign-in for mails', async () => {
    const user_id = await createUser(world.database, { email: 'ada@example.com' })
    const signIn = async (language: string) => {
      const browser = new Browser(world.url)
      provider.person = { sub: 'ada', email: 'Ada@example.com', email_verified: true }
      const address = await provider.follow(await beginSignIn(browser, '/my/sign-in'))
      browser.cookies.set('berth_language', language)
      await returnFromProvider(browser, address)
      expect(browser.page).to.include({ status: 200, path: '/my' })
    }
    await signIn('de')
    await signIn('en')
    expect(await world.database('person_languages')).to.deep.equal([{ user_id, language: 'de' }])
  })

  it('has the picture fetched that the provider names, but not for a person who chose one', async () => {
    const user_id = await createUser(world.database, { email: 'grace@example.com' })
    const signIn = async (picture: string) => {
      provider.tokenClaims = { email: 'grace@example.com', email_verified: true, groups: [], picture }
      provider.person = { sub: 'grace', email: 'grace@example.com', email_verified: true }
      const browser = new Browser(world.url)
      await returnFromProvider(browser, await provider.follow(await beginSignIn(browser, '/my/sign-in')))
      provider.tokenClaims = {}
    }
    const find = () => world.database('user_pictures').where({ user_id }).first()
    await signIn('https://pictures.example/grace.jpg')
    await eventually(async () => expect(await find()).to.include({ source: 'provider' }))
    expect(await find()).to.include({ provider_url: 'https://pictures.example/grace.jpg' })
    expect((await find()).fetch_at).to.not.equal(null)
    await world.database('user_pictures').where({ user_id }).update({ source: 'person', fetch_at: null })
    await signIn('https://pictures.example/new.jpg')
    await eventually(async () =>
      expect(await find()).to.include({ provider_url: 'https://pictures.example/new.jpg', fetch_at: null }),
    )
    await signIn('javascript:alert(1)')
    expect(await find()).to.include({ provider_url: 'https://pictures.example/new.jpg' })
  })
})
