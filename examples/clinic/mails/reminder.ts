import { defineMail } from 'gatewright';

/** The day before an appointment, in the language of the patient. */
export default defineMail({
  subject: { en: 'Your appointment at {clinic}', de: 'Ihr Termin: {clinic}' },
  text: {
    en: 'Dear {name},\n\nwe expect you on {time}, with {doctor}.\n\nIf you cannot come, please cancel in time.\n\n{clinic}',
    de: 'Guten Tag {name},\n\nwir erwarten Sie am {time} bei {doctor}.\n\nWenn Sie verhindert sind, sagen Sie bitte rechtzeitig ab.\n\n{clinic}',
  },
  sample: { name: 'Ann', clinic: 'Park', doctor: 'Dr. Weiß', time: 'Monday, 4 May 2026 at 09:30' },
});
