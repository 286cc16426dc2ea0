// Tests pictures of people on pages: who uploads them, who sees them and at which address, and who hides them.
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { cropPortrait } from '../../../../workers/pictures/crop-portrait.ts'
import { type Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { drawPng } from '../../../support/dashboard/pictures.ts'
import { createUser } from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const PICTURE_PATTERN = /<img src="(\/my\/pictures\/\d+\/[\da-f]{24})" alt="" loading="lazy">/

describe('pictures of people', () => {
  // Without a build, the process that reads a picture takes long to start.
  const world = useWorld({ workers: ['writes'], environment: { WRITE_WAIT_MS: '120000' } })

  async function createPerson() {
    const id = await createUser(world.database)
    return { id, browser: await signInAs(world, id) }
  }
  const upload = async (browser: Browser, content: Buffer | string) => {
    await browser.open('/my/me')
    await browser.submit('Upload picture', {
      file: new File([new Uint8Array(Buffer.from(content))], 'own.png'),
    })
  }

  it('are uploaded on Me, shown to colleagues, cached, and removed', async () => {
    const [ada, bob] = [await createPerson(), await createPerson()]
    await upload(ada.browser, drawPng(300, 200))
    expect(ada.browser.page.status, ada.browser.words).to.equal(200)
    const [, address = ''] = PICTURE_PATTERN.exec(ada.browser.page.text) ?? []
    for (const { browser } of [ada, bob]) {
      const response = await browser.open(address)
      expect(response.status).to.equal(200)
      expect(response.headers.get('Content-Type')).to.equal('image/webp')
      expect(response.headers.get('Cache-Control')).to.match(/^private, max-age=\d+, immutable$/)
      expect(response.headers.get('Content-Security-Policy')).to.include("default-src 'none'")
    }
    const admin = await createSignedIn(world)
    expect((await admin.open(address.replace('/my/', '/dashboard/'))).status).to.equal(200)
    await ada.browser.open('/my/me')
    await ada.browser.submit('Remove picture')
    expect(ada.browser.page.text).to.not.match(PICTURE_PATTERN)
    expect((await bob.browser.open(address)).status).to.equal(404)
  })

  const store = async (user_id: number): Promise<string> => {
    const { data: picture } = await cropPortrait(drawPng(30, 30))
    const sha256 = createHash('sha256').update(picture).digest()
    await world.database('user_pictures').insert({ user_id, source: 'provider', picture, sha256 })
    return `/my/pictures/${user_id}/${sha256.toString('hex').slice(0, 24)}`
  }

  it('give the same answer for a person who hides, has none, has another or does not exist', async () => {
    const [ada, bob] = [await createPerson(), await createPerson()]
    const address = await store(ada.id)
    await ada.browser.open('/my/me')
    expect(PICTURE_PATTERN.exec(ada.browser.page.text)?.[1]).to.equal(address)
    const answers = async (path: string) => {
      const { status, headers } = await bob.browser.open(path)
      return {
        status,
        cache: headers.get('Cache-Control'),
        words:
          status === 404 && bob.browser.words.replaceAll(/[\da-f]{8}-[\da-f-]{27}|\/my\/pictures\/\d+/g, ''),
      }
    }
    const hash = address.split('/').at(-1)
    const unknown = await answers(`/my/pictures/${ada.id + 1_000_000}/${hash}`)
    expect(unknown.status).to.equal(404)
    expect(await answers(`/my/pictures/${bob.id}/${hash}`)).to.deep.equal(unknown)
    expect(await answers(`/my/pictures/${ada.id}/${'0'.repeat(24)}`)).to.deep.equal(unknown)
    await world.database('person_settings').insert({ user_id: ada.id, visibility: 'nobody' })
    expect(await answers(address)).to.deep.equal(unknown)
    expect((await ada.browser.open(address)).status).to.equal(200)
    await world.database('person_settings').where({ user_id: ada.id }).delete()
    expect((await answers(address)).status).to.equal(200)
    await world.database('users').where({ id: ada.id }).update({ deactivated_at: new Date() })
    expect(await answers(address)).to.deep.equal(unknown)
    expect((await fetch(world.url + address)).status).to.equal(401)
  })

  it('are refused with a sentence at the form if the file is not a picture', async () => {
    const { id, browser } = await createPerson()
    await upload(browser, '<svg xmlns="http://www.w3.org/2000/svg"/>')
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('A picture must be a JPEG, PNG or WebP file')
    expect(await world.database('user_pictures').where({ user_id: id })).to.deep.equal([])
    expect(await world.database('files')).to.deep.equal([])
  })
})

describe('pictures of people, if they are turned off', () => {
  const world = useWorld({ workers: ['writes'], environment: { PEOPLE_PICTURES: 'off' } })

  it('are neither shown, nor served, nor uploaded', async () => {
    const user_id = await createUser(world.database)
    const picture = Buffer.from('picture')
    await world
      .database('user_pictures')
      .insert({ user_id, source: 'person', picture, sha256: Buffer.alloc(32) })
    const browser = await signInAs(world, user_id)
    await browser.open('/my/me')
    expect(browser.page.text).to.not.match(PICTURE_PATTERN).and.not.include('Upload picture')
    expect((await browser.open(`/my/pictures/${user_id}/${'0'.repeat(24)}`)).status).to.equal(404)
  })
})
