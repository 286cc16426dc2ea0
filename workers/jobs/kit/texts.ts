// Wording that refusals share.
import { counted, type Message } from '../../../shared/messages/message.ts'

export const countBookings = (number: number): Message => counted(number, '# booking', '# bookings')

export const countUpcoming = (number: number): Message =>
  counted(number, '# upcoming booking', '# upcoming bookings')
