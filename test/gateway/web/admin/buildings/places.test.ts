// Tests how administrators create, change and delete buildings, locations and bookables.

import { expect } from 'chai'
import { type Browser, Browser as Stranger, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { deleteAllResources } from '../../../../support/office.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the dashboard pages of places', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  beforeEach(() => deleteAllResources(world.database))

  const rowOf = (table: string, id: number) => world.database(table).where({ id }).first()
  const ofLocation = (id: number, below = '') => `/dashboard/places/locations/${id}${below}`
  const ofBookable = (id: number, below = '') => `/dashboard/places/bookables/${id}${below}`
  const ofBuilding = (id: number, below = '') => `/dashboard/places/buildings/${id}${below}`

  it('create, change and delete a building', async () => {
    await browser.open('/dashboard/places')
    expect(browser.words).to.include('There are no buildings yet.')
    await browser.follow('New building')
    await browser.submit('Create building', { name: ' ', timezone: 'Europe/Berlin' })
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('Name must not be empty.')
    await browser.submit('Create building', {
      name: 'Harbour House',
      address: '1 Quay Street\nHamburg',
      timezone: 'Europe/Berlin',
    })
    expect(browser.words).to.include('Building created.').and.include('no floors yet')
    const { id } = await world.database('buildings').first()
    await browser.open(ofBuilding(id, '/details'))
    await browser.submit('Save changes', { name: 'Harbour Hall', address: '', timezone: 'Asia/Tokyo' })
    expect(browser.words).to.include('Changes saved.')
    expect(await rowOf('buildings', id)).to.deep.include({
      name: 'Harbour Hall',
      address: '',
      timezone: 'Asia/Tokyo',
    })
    const [entry] = await world.database('audit_log').where({ action: 'buildings.update' })
    expect(entry).to.include({ actor_type: 'admin', actor_name: 'admin@example.com' })

    await createLocation(world.database, { building_id: id, name: 'Attic' })
    await browser.open(ofBuilding(id, '/details'))
    expect(browser.words).to.include('You can delete a building once it has no floors.')
    expect(browser.page.text).to.not.include(`${ofBuilding(id, '/delete')}"`)
    await browser.open(ofBuilding(id, '/delete'))
    expect((await browser.submit('Delete building')).status).to.equal(409)
    expect(browser.words).to.include('Harbour Hall still has 1 floor. Delete or move it first.')
    await world.database('locations').delete()
    await browser.submit('Delete building')
    expect(browser.page.path).to.equal('/dashboard/places')
    expect(browser.words).to.include('Building deleted.')
    expect((await browser.open(ofBuilding(id))).status).to.equal(404)
    expect(browser.words).to.include('This building does not exist, or it has been deleted.')
  })

  it('list buildings in pages, and search the texts of buildings and of their locations', async () => {
    for (let number = 1; number <= 23; number++) {
      const building_id = await createBuilding(world.database, {
        name: `House ${String(number).padStart(2, '0')}`,
      })
      await createLocation(world.database, { building_id, name: `Floor_of ${number}`, code: `X%${number}` })
    }
    await browser.open('/dashboard/places')
    expect(browser.words).to.include('House 01').and.include('House 20').and.not.include('House 21')
    await browser.follow('Next')
    expect(browser.words).to.include('House 23').and.not.include('House 20')
    await browser.submit('Search', { search: 'floor_of 7' })
    expect(browser.words).to.include('House 07').and.not.include('House 17')
    await browser.submit('Search', { search: '%2' })
    expect(browser.words, 'a percent sign is itself').to.include('House 02').and.not.include('House 12')
    await browser.submit('Search', { search: 'nowhere' })
    expect(browser.words).to.include('No buildings or floors match.')
    await browser.follow('Show all')
    expect(browser.words).to.include('House 01')
  })

  it('create a location, move it to another building, and delete it once it is empty', async () => {
    const [here, there] = [
      await createBuilding(world.database),
      await createBuilding(world.database, { name: 'There' }),
    ]
    await browser.open(ofBuilding(here))
    await browser.follow('New floor')
    await browser.submit('Create floor', { name: '3rd floor', code: 'F3' })
    expect(browser.words).to.include('Floor created.').and.include('No desks, rooms or parking yet.')
    const { id } = await world.database('locations').first()
    const [, box = ''] = /class="empty">([\s\S]*?)<\/div>/.exec(browser.page.text) ?? []
    expect(box, 'a link where nothing is yet').to.include(`${ofLocation(id, '/add')}"`)
    await browser.open(ofLocation(id, '/details'))
    await browser.submit('Save changes', { name: '4th floor', code: '', building_id: String(there) })
    expect(await rowOf('locations', id)).to.deep.include({ name: '4th floor', code: '', building_id: there })

    await browser.open(ofLocation(id, '/details'))
    await browser.follow('Delete floor')
    const desk = await createBookable(world.database, { location_id: id })
    await browser.open(ofLocation(id, '/details'))
    expect(browser.page.text).to.not.include(`${ofLocation(id, '/delete')}"`)
    await browser.open(ofLocation(id, '/delete'))
    await browser.submit('Delete floor')
    expect(browser.words).to.include('4th floor still has 1 desk or room. Delete or move it first.')
    await world.database('bookables').where({ id: desk }).delete()
    await browser.submit('Delete floor')
    expect(browser.page.path).to.equal(ofBuilding(there))
    expect(await rowOf('locations', id)).to.equal(undefined)
  })

  it('create many bookables together, and only once if the form is sent twice', async () => {
    const location = await createLocation(world.database)
    await browser.open(ofLocation(location))
    expect(browser.words.split('Add desks, rooms or parking'), 'one button').to.have.length(2)
    await browser.follow('Add desks, rooms or parking')
    const form = browser.form('Add desks, rooms or parking')
    const fields = { names: 'Desk 1…40\nCorner', type: '0', tags: 'window, quiet ,window', capacity: '2' }
    await Promise.all([browser.send(form, fields), browser.send(form, fields)])
    const rows = await world.database('bookables').orderBy('id')
    expect(rows).to.have.length(41)
    expect(rows[39]).to.deep.include({
      name: 'Desk 40',
      tags: ['window', 'quiet'],
      capacity: 2,
      type: 0,
      status: 0,
    })
    expect(rows[40]?.name).to.equal('Corner')
    await browser.open(ofLocation(location))
    expect(browser.words).to.include('Desk 40').and.include('Corner')
  })

  it('show errors about names, keep the input, and preview names on request', async () => {
    const location_id = await createLocation(world.database)
    await createBookable(world.database, { location_id, name: 'Desk 2' })
    const path = ofLocation(location_id, '/add')
    const refusals: Array<[string, string]> = [
      ['', 'Names is required.'],
      ['Desk 9…3', '“Desk 9…3” ends before it begins.'],
      ['Desk 1…5000', '“Desk 1…5000” produces more than 1000 names.'],
      ['desk 2\nNew', 'desk 2 already exists on this floor.'],
      ['New\nnew', 'in the list more than once.'],
      ['x'.repeat(256), 'is longer than 255 characters.'],
    ]
    for (const [names, sentence] of refusals) {
      await browser.open(path)
      expect(
        (await browser.submit('Add desks, rooms or parking', { names, type: '2', status: '1' })).status,
        names,
      ).to.equal(422)
      expect(browser.words).to.include(sentence)
      const { controls } = browser.form('Add desks, rooms or parking')
      expect(controls.find(({ name }) => name === 'names')?.value).to.equal(names)
      expect(controls.find(({ name }) => name === 'type')?.value).to.equal('2')
    }
    await browser.open(path)
    const form = browser.form('Add desks, rooms or parking')
    const preview = {
      ...form,
      controls: [
        ...form.controls,
        { name: 'preview', value: 'true', type: 'text', checked: false, options: [] },
      ],
    }
    expect((await browser.send(preview, { names: 'P-001…P-003', type: '1' })).status).to.equal(200)
    expect(browser.words).to.include('Preview: 3 names P-001 P-002 P-003')
    expect(await world.database('bookables').where({ location_id })).to.have.length(1)
    await browser.submit('Add desks, rooms or parking')
    expect(await world.database('bookables').where({ location_id, type: 1 })).to.have.length(3)
  })

  it('search bookables by words, type and status', async () => {
    const location_id = await createLocation(world.database)
    const make = (name: string, row: object) => createBookable(world.database, { location_id, name, ...row })
    await make('Alpha', { tags: ['window'] })
    await make('Beta', { description: 'by the window', type: 2 })
    await make('Gamma', { status: 1 })
    await make('Gone', { deleted_at: new Date() })
    await browser.open(ofLocation(location_id))
    expect(browser.words).to.include('Gamma').and.not.include('Gone')
    await browser.submit('Search', { search: 'WINDOW' })
    expect(browser.words).to.include('Alpha').and.include('Beta').and.not.include('Gamma')
    await browser.submit('Search', { type: '2' })
    expect(browser.words).to.include('Beta').and.not.include('Alpha')
    await browser.submit('Search', { search: '', type: '', status: '1' })
    expect(browser.words).to.include('Gamma').and.not.include('Beta')
    await browser.submit('Search', { search: 'Gone', status: '' })
    expect(browser.words).to.include('No matches.')
    expect((await browser.open(ofLocation(location_id, '?type=7'))).status).to.equal(422)
  })

  it('change and clear every field of a bookable', async () => {
    const id = await createBookable(world.database, { position_x: 0.1, position_y: 0.1 })
    const other = await createLocation(world.database)
    await browser.open(ofBookable(id))
    const full = {
      name: 'Elbe',
      type: '2',
      status: '1',
      description: 'Large',
      tags: 'beamer',
      capacity: '12',
      integration_email: 'elbe@example.com',
      requires_vehicle: 'true',
      location_id: String(other),
    }
    await browser.submit('Save changes', full)
    expect(browser.words).to.include('Changes saved.').and.include('Meeting room blocked')
    expect(await rowOf('bookables', id)).to.deep.include({
      name: 'Elbe',
      type: 2,
      status: 1,
      description: 'Large',
      tags: ['beamer'],
      capacity: 12,
      integration_email: 'elbe@example.com',
      requires_vehicle: true,
      location_id: other,
      position_x: null,
    })
    const none = {
      description: '',
      tags: '',
      capacity: '',
      integration_email: '',
      requires_vehicle: [],
      status: '0',
    }
    await browser.submit('Save changes', none)
    expect(await rowOf('bookables', id)).to.deep.include({
      description: null,
      tags: [],
      capacity: null,
      integration_email: null,
      requires_vehicle: false,
      status: 0,
    })
    expect(
      (await browser.submit('Save changes', { capacity: '-1', integration_email: 'x' })).status,
    ).to.equal(422)
    expect(browser.words).to.include('E-mail for calendars must be a valid e-mail address.')
    await createBookable(world.database, { integration_email: 'Taken@example.com' })
    await browser.open(ofBookable(id))
    await browser.submit('Save changes', { integration_email: 'taken@example.com' })
    expect(browser.page.status).to.be.oneOf([409, 422])
  })

  it('link from a bookable to a new booking, unless it is blocked', async () => {
    const id = await createBookable(world.database, { name: 'Desk at the door' })
    await browser.open(`/dashboard/places/bookables/${id}`)
    await browser.follow('Book')
    expect(browser.words).to.include('New booking').and.include('Desk at the door Desk, Floor')
    await world.database('bookables').where({ id }).update({ status: 1 })
    await browser.open(`/dashboard/places/bookables/${id}`)
    expect(browser.page.text).to.not.include('>Book</a>')
  })

  it('accept a position on the floor plan as numbers', async () => {
    const location_id = await createLocation(world.database, {
      ...createFloorPlanColumns(drawPng(30, 20)),
    })
    const id = await createBookable(world.database, { location_id })
    const save = async (left: string, top: string) => {
      await browser.open(ofBookable(id))
      return (await browser.submit('Save position', { left, top })).status
    }
    expect(await save('12.5', '100')).to.equal(200)
    expect(await rowOf('bookables', id)).to.deep.include({ position_x: 0.125, position_y: 1 })
    for (const [left, top, sentence] of [
      ['101', '5', 'Distance from the left (%) must be a number from 0 to 100.'],
      ['x', '5', 'Distance from the left (%) must be a number from 0 to 100.'],
      ['5', '', 'Enter both numbers, or leave both empty to take it off the floor plan.'],
    ] as const) {
      expect(await save(left, top)).to.equal(422)
      expect(browser.words).to.include(sentence)
    }
    expect(await save('33,3', '0')).to.equal(200)
    expect(await rowOf('bookables', id)).to.deep.include({ position_x: 0.333, position_y: 0 })
    expect(await save('', '')).to.equal(200)
    expect(await rowOf('bookables', id)).to.deep.include({ position_x: null, position_y: null })
  })

  it('assign a bookable to people found by search, remove them, and release the bookable', async () => {
    const id = await createBookable(world.database, { name: 'Desk 1' })
    const ada = await createUser(world.database, { name: 'Ada Lovelace', email: 'ada@example.com' })
    await createUser(world.database, { name: 'Ada Gone', deactivated_at: new Date() })
    const bob = await createUser(world.database, { name: 'Bob', email: 'bob_x@example.com' })
    const owners = () => world.database('bookable_assignees').where({ bookable_id: id }).pluck('user_id')
    await browser.open(ofBookable(id))
    await browser.follow('Assign to people')
    await browser.submit('Search', { search: 'ada' })
    expect(browser.words).to.include('ada@example.com').and.not.include('Ada Gone')
    await browser.submit('Assign')
    expect(browser.words).to.include('Desk 1 is assigned to Ada Lovelace.')
    expect(await owners()).to.deep.equal([ada])
    await browser.submit('Search', { search: 'BOB_X' })
    await browser.submit('Assign')
    expect(await owners()).to.have.members([ada, bob])
    await browser.submit('Search', { search: 'b_b' })
    expect(browser.words, 'an underscore is itself').to.include('No active people found.')
    await browser.open(ofBookable(id))
    expect(browser.words).to.include('Only these people can book the place').and.include('Ada Lovelace')
    expect(browser.form('Save changes').controls.map(({ name }) => name)).to.not.include('status')
    await browser.submit('End assignment')
    expect(await owners()).to.deep.equal([])
    expect(await rowOf('bookables', id)).to.deep.include({ status: 0 })

    await createBooking(world.database, {
      bookable_id: id,
      user_id: bob,
      from: hoursFromNow(1),
      to: hoursFromNow(2),
    })
    await browser.open(ofBookable(id, '/assign?search=ada'))
    expect((await browser.submit('Assign')).status).to.equal(409)
    expect(browser.words).to.include('1 booking conflicts with this, including meetings: Desk 1.')
    await browser.open(ofBookable(id, '/assign?search=bob'))
    await browser.submit('Assign')
    await browser.submit('Remove')
    expect(browser.words).to.include('Desk 1 is not assigned to anyone now.')
    expect(await owners()).to.deep.equal([])
  })

  it('delete several bookables together, or none if one of them has bookings', async () => {
    const location_id = await createLocation(world.database)
    const [one, two, three] = await Promise.all(
      ['Desk 1', 'Desk 2', 'Desk 3'].map((name) => createBookable(world.database, { location_id, name })),
    )
    await createBooking(world.database, { bookable_id: two, from: hoursFromNow(1), to: hoursFromNow(2) })
    await browser.open(ofLocation(location_id))
    await browser.submit('Change selected', { ids: [] })
    expect(browser.words).to.include('Nothing selected')
    await browser.open(ofLocation(location_id))
    await browser.submit('Change selected', { ids: [String(one), String(two)] })
    await browser.follow('Delete them')
    expect(browser.words).to.include('Delete 2 desks and rooms?').and.include('Desk 1').and.include('Desk 2')
    expect((await browser.submit('Delete them')).status).to.equal(409)
    expect(browser.words).to.include('Choose what should happen to these bookings.')
    await browser.open(ofLocation(location_id))
    await browser.submit('Change selected', { ids: [String(one), String(three)] })
    await browser.follow('Delete them')
    const form = browser.form('Delete them')
    const answers = await Promise.all([browser.send(form), browser.send(form)])
    // The second request gets an error if the first is still running. When it is sent again, it finds the result.
    for (const { status } of answers) expect(status).to.be.oneOf([200, 409])
    expect((await browser.send(form)).status).to.equal(200)
    await browser.open(ofLocation(location_id))
    expect(browser.words).to.include('Desk 2').and.not.include('Desk 1').and.not.include('Desk 3')
    expect((await browser.open(ofBookable(one ?? 0))).status).to.equal(404)
    await browser.open(ofBookable(two ?? 0))
    await browser.follow('Delete Desk 2')
    expect(browser.words).to.include('Delete “Desk 2”?')
  })

  it('accept a floor plan, show it only to administrators, replace it and remove it', async () => {
    const id = await createLocation(world.database)
    const upload = async (button: string, content: Buffer | undefined) => {
      const file = content && new File([new Uint8Array(content)], 'plan.png')
      // A busy machine may need longer than a write may wait.
      return eventually(async () => {
        await browser.open(ofLocation(id, '/plan'))
        const { status } = await browser.submit(button, file ? { file } : {})
        expect(status).to.not.equal(503)
        return status
      })
    }
    expect(await upload('Upload floor plan', undefined)).to.equal(422)
    expect(browser.words).to.include('Choose a file.')
    expect(await upload('Upload floor plan', Buffer.from('GIF89a'))).to.equal(422)
    expect(browser.words).to.include('A floor plan must be a PNG, JPEG, WebP, SVG or PDF file')
    expect(await world.database('files')).to.deep.equal([])
    const large = Buffer.concat([drawPng(30, 20), Buffer.alloc(10 * 1024 * 1024)])
    expect(await upload('Upload floor plan', large)).to.equal(413)
    expect(browser.words).to.include('A floor plan can have at most 10 MiB.').and.include('Upload floor plan')

    expect(await upload('Upload floor plan', drawPng(30, 20))).to.equal(200)
    expect(browser.page.path).to.equal(ofLocation(id, '/arrange'))
    expect(browser.words)
      .to.include('There is nothing to place on this floor plan yet')
      .and.not.include('Everything is on the floor plan.')
    const address = /href="(\/dashboard\/floor-plans\/[^"]+)"/.exec(browser.page.text)?.[1] ?? ''
    const shown = await fetch(world.url + address, { headers: { Cookie: formatCookies(browser) } })
    expect(shown.headers.get('Content-Type')).to.equal('image/png')
    expect(shown.headers.get('X-Content-Type-Options')).to.equal('nosniff')
    expect(shown.headers.get('Cache-Control')).to.equal('private, max-age=86400, immutable')
    expect(Buffer.from(await shown.arrayBuffer()).equals(drawPng(30, 20))).to.equal(true)
    expect((await new Stranger(world.url).open(address)).status).to.equal(401)
    expect((await browser.open('/dashboard/floor-plans/x/y')).status).to.equal(404)

    expect(await upload('Replace floor plan', drawPng(40, 20))).to.equal(200)
    const next = /href="(\/dashboard\/floor-plans\/[^"]+)"/.exec(browser.page.text)?.[1]
    expect(next, 'another address').to.not.equal(address)
    expect((await browser.open(address)).headers.get('Cache-Control'), 'under the old one').to.equal(
      'no-store',
    )
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2" onload="alert(1)"><rect/></svg>'
    expect(await upload('Replace floor plan', Buffer.from(svg))).to.equal(200)
    const drawn = /href="(\/dashboard\/floor-plans\/[^"]+)"/.exec(browser.page.text)?.[1] ?? ''
    const opened = await browser.open(drawn)
    expect(opened.headers.get('Content-Type')).to.equal('image/svg+xml')
    expect(opened.headers.get('Content-Security-Policy')).to.match(/^default-src 'none';.*; sandbox$/)
    expect(browser.page.text).to.include('<rect').and.not.include('alert')
    await browser.open(ofLocation(id, '/plan'))
    await browser.submit('Delete floor plan')
    expect(browser.words).to.include('Floor plan deleted.')
    expect((await browser.open(address)).status).to.equal(404)
    await browser.open(ofLocation(id, '/arrange'))
    expect(browser.words).to.include('There is no floor plan yet.')
  })

  it('escape hostile texts', async () => {
    for (const text of HOSTILE_TEXTS) {
      const building_id = await createBuilding(world.database, { name: text, address: text })
      const location_id = await createLocation(world.database, {
        building_id,
        name: text,
        code: text,
        ...createFloorPlanColumns(drawPng(30, 20)),
      })
      const bookable_id = await createBookable(world.database, {
        location_id,
        name: text,
        description: text,
        tags: [text],
        status: 2,
      })
      const user_id = await createUser(world.database, { name: text })
      await world.database('bookable_assignees').insert({ bookable_id, user_id })
      const paths = [
        `/dashboard/places?search=${encodeURIComponent(text)}`,
        ofBuilding(building_id),
        ofBuilding(building_id, '/delete'),
        ofBuilding(building_id, '/locations/new'),
        ofLocation(location_id),
        ofLocation(location_id, '/delete'),
        ofLocation(location_id, '/add'),
        ofLocation(location_id, '/arrange'),
        ofLocation(location_id, '/copy'),
        ofLocation(location_id, `/selected?ids=${bookable_id}`),
        ofLocation(location_id, `/delete-bookables?ids=${bookable_id}`),
        ofBookable(bookable_id),
        ofBookable(bookable_id, `/assign?search=${encodeURIComponent(text)}`),
      ]
      for (const path of paths) {
        expect((await browser.open(path)).status, path).to.equal(200)
        expectHarmless(browser.page.text, text)
      }
    }
  })
})

const formatCookies = ({ cookies }: Browser) => [...cookies].map((pair) => pair.join('=')).join('; ')
