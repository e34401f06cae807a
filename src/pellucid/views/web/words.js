/** The words of the interface, in the reader's language where the page has it. */

import { english } from "./english.js";
import { german } from "./german.js";

const LANGUAGES = [english, german];

export const words = LANGUAGES.find(({ language }) => navigator.language.startsWith(language))
  ?? english;
