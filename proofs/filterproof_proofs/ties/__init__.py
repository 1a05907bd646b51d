"""The code of every filter that is called sound, tied to the theorem in Coq that says so."""
